// Package doubleclose closes the channel through a sync.Once.
package doubleclose

import "sync"

// A Stopper tells any number of goroutines to stop.
type Stopper struct {
	once sync.Once
	done chan struct{}
}

// New returns a Stopper.
func New() *Stopper { return &Stopper{done: make(chan struct{})} }

// Stop may be called more than once.
func (s *Stopper) Stop() { s.once.Do(func() { close(s.done) }) }

// Done is closed after Stop.
func (s *Stopper) Done() <-chan struct{} { return s.done }
