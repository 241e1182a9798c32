// Package missingclose closes its output channel on every path.
package missingclose

// Count sends 0, 1, ... n-1 and ends early when stop is closed.
func Count(n int, stop <-chan struct{}) <-chan int {
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
