// Package unlockedpredicate changes the state and signals without the lock, between a waiter's look at the state and its wait.
//
// Expect: deadlock
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
	s.started.Store(true)
	s.cond.Broadcast()
}
