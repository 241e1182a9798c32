// Package tryacquire asks whether a semaphore channel has room and then sends, which blocks when another goroutine was faster.
//
// Expect: deadlock
package tryacquire

// A Semaphore holds as many tokens as its capacity.
type Semaphore chan struct{}

// TryAcquire takes a token and reports whether there was one; it does not wait.
func (s Semaphore) TryAcquire() bool {
	if len(s) == cap(s) {
		return false
	}
	s <- struct{}{}
	return true
}

// Release gives the token back.
func (s Semaphore) Release() { <-s }
