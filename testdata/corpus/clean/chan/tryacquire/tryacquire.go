// Package tryacquire asks and sends in one step, a select with a default case.
package tryacquire

// A Semaphore holds as many tokens as its capacity.
type Semaphore chan struct{}

// TryAcquire takes a token and reports whether there was one; it does not wait.
func (s Semaphore) TryAcquire() bool {
	select {
	case s <- struct{}{}:
		return true
	default:
		return false
	}
}

// Release gives the token back.
func (s Semaphore) Release() { <-s }
