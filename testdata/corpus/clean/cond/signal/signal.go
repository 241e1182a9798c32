// Package signal wakes all, since producers and consumers wait on the same condition.
package signal

import "sync"

// A Slot holds at most one value.
type Slot struct {
	mu    sync.Mutex
	cond  sync.Cond
	full  bool
	value int
}

// New returns an empty slot.
func New() *Slot {
	s := new(Slot)
	s.cond.L = &s.mu
	return s
}

// Put waits until the slot is empty and fills it.
func (s *Slot) Put(value int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.full {
		s.cond.Wait()
	}
	s.value, s.full = value, true
	s.cond.Broadcast()
}

// Take waits until the slot is full and empties it.
func (s *Slot) Take() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	for !s.full {
		s.cond.Wait()
	}
	s.full = false
	s.cond.Broadcast()
	return s.value
}
