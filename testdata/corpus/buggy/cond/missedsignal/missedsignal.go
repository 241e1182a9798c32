// Package missedsignal waits without looking at a state, and so misses a signal that was given before.
//
// Expect: deadlock
package missedsignal

import "sync"

// A Latch is released once.
type Latch struct {
	mu   sync.Mutex
	cond sync.Cond
}

// New returns a latch.
func New() *Latch {
	l := new(Latch)
	l.cond.L = &l.mu
	return l
}

// Wait returns when the latch is released.
func (l *Latch) Wait() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.cond.Wait()
}

// Release lets everyone go on.
func (l *Latch) Release() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.cond.Broadcast()
}
