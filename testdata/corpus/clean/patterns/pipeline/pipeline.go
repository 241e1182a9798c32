// Package pipeline looks at the done channel in every stage, and drains the last one.
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

func square(done <-chan struct{}, in <-chan int) <-chan int {
	out := make(chan int)
	go func() {
		defer close(out)
		for i := range in {
			select {
			case out <- i * i:
			case <-done:
			}
		}
	}()
	return out
}

// FirstSquare returns the first of n squares.
func FirstSquare(n int) int {
	done := make(chan struct{})
	squares := square(done, generate(done, n))
	first := <-squares
	close(done)
	for range squares {
		// the stages end when they have seen done
	}
	return first
}
