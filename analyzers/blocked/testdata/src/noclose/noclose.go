package noclose

func count(n int, stop <-chan struct{}) <-chan int {
	out := make(chan int)
	go func() {
		for i := range n {
			select {
			case out <- i:
			case <-stop:
				return
			}
		}
		close(out) // want `the goroutine can return without closing out, which it closes at its end: who ranges over it waits forever`
	}()
	return out
}

func countDeferred(n int, stop <-chan struct{}) <-chan int {
	out := make(chan int)
	go func() {
		defer close(out)
		for i := range n {
			select {
			case out <- i:
			case <-stop:
				return
			}
		}
	}()
	return out
}

func countAll(n int) <-chan int {
	out := make(chan int)
	go func() {
		for i := range n {
			out <- i
		}
		close(out)
	}()
	return out
}

func never(n int) (sum int) {
	out := make(chan int)
	go func() {
		for i := range n {
			out <- i
		}
	}()
	for i := range out { // want `the loop over out never ends: nobody closes it`
		sum += i
	}
	return sum
}

// The loop has another end.
func enough(n int) (sum int) {
	out := make(chan int, 100)
	go func() {
		for i := range n {
			select {
			case out <- i:
			default:
			}
		}
	}()
	for i := range out {
		if sum += i; sum > 100 {
			break
		}
	}
	return sum
}
