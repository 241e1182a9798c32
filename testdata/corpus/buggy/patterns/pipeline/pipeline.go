// Package pipeline has a stage that sends without a look at the done channel, and stays behind when its consumer leaves.
//
// Expect: leak
package pipeline

func generate(done <-chan struct{}, n int) <-chan int {
	out := make(chan int)
	go func() {
		defer close(out)
		for i := range n {
			select {
			case out <- i + 2:
			case <-done:
				return
			}
		}
	}()
	return out
}

func square(in <-chan int) <-chan int {
	out := make(chan int)
	go func() {
		defer close(out)
		for i := range in {
			out <- i * i
		}
	}()
	return out
}

// FirstSquare returns the first of n squares.
func FirstSquare(n int) int {
	done := make(chan struct{})
	defer close(done)
	return <-square(generate(done, n))
}
