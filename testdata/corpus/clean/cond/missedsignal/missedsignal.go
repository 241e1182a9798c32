// Package missedsignal remembers that the latch was released.
package missedsignal

import "sync"

// A Latch is released once.
type Latch struct {
	mu       sync.Mutex
	cond     sync.Cond
	released bool
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
	for !l.released {
		l.cond.Wait()
	}
}

// Release lets everyone go on.
func (l *Latch) Release() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.released = true
	l.cond.Broadcast()
}
