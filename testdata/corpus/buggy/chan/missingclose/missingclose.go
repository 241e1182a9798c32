// Package missingclose leaves its output channel open when it is stopped, so that the consumer's range loop never ends.
//
// Expect: deadlock|leak
package missingclose

// Count sends 0, 1, ... n-1 and ends early when stop is closed.
func Count(n int, stop <-chan struct{}) <-chan int {
	out := make(chan int)
	go func() {
		for i := range n {
			select {
			case out <- i:
			case <-stop:
				return
			}
		}
		close(out)
	}()
	return out
}
