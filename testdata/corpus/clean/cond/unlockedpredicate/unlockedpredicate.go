// Package unlockedpredicate changes the state under the lock, so that a waiter sees it or is woken.
package unlockedpredicate

import (
	"sync"
	"sync/atomic"
)

// A Starter holds runners back until Go.
type Starter struct {
	mu      sync.Mutex
	cond    sync.Cond
	started atomic.Bool
}

// New returns a starter.
func New() *Starter {
	s := new(Starter)
	s.cond.L = &s.mu
	return s
}

// Wait returns after Go.
func (s *Starter) Wait() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for !s.started.Load() {
		s.cond.Wait()
	}
}

// Go lets the runners run.
func (s *Starter) Go() {
	s.mu.Lock()
	s.started.Store(true)
	s.mu.Unlock()
	s.cond.Broadcast()
}
