// Package twostage increments and notifies in one critical section.
package twostage

import "sync"

// A Semaphore counts free places.
type Semaphore struct {
	mu    sync.Mutex
	cond  sync.Cond
	value int
}

// New returns a semaphore with n free places.
func New(n int) *Semaphore {
	s := &Semaphore{value: n}
	s.cond.L = &s.mu
	return s
}

// Down takes a place.
func (s *Semaphore) Down() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.value == 0 {
		s.cond.Wait()
	}
	s.value--
}

// Up gives a place back.
func (s *Semaphore) Up() {
	s.mu.Lock()
	s.value++
	if s.value == 1 {
		s.cond.Broadcast()
	}
	s.mu.Unlock()
}
