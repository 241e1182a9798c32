// Package doubleclose asks whether a channel is closed and closes it in two steps, so that two goroutines can close it.
//
// Expect: panic
package doubleclose

// A Stopper tells any number of goroutines to stop.
type Stopper struct{ done chan struct{} }

// New returns a Stopper.
func New() *Stopper { return &Stopper{done: make(chan struct{})} }

// Stop may be called more than once.
func (s *Stopper) Stop() {
	select {
	case <-s.done:
	default:
		close(s.done)
	}
}

// Done is closed after Stop.
func (s *Stopper) Done() <-chan struct{} { return s.done }
