package noloop

import (
	"sync"
	"sync/atomic"
)

type starter struct {
	mu      sync.Mutex
	cond    sync.Cond
	started atomic.Bool
	n       int
	other   int
}

func (s *starter) wait() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for !s.started.Load() || s.n == 0 {
		s.cond.Wait()
	}
}

func (s *starter) Go() {
	s.started.Store(true) // want `started is changed without the lock of cond: a goroutine that has just tested it misses the wakeup`
	s.cond.Broadcast()
}

func (s *starter) Add() {
	s.n++ // want `n is changed without the lock of cond`
	s.cond.Signal()
}

func (s *starter) GoLocked() {
	s.mu.Lock()
	s.started.Store(true)
	s.mu.Unlock()
	s.cond.Broadcast()
}

func (s *starter) Other() {
	s.other++
	s.cond.Broadcast()
}

// The caller may have the lock.
func (s *starter) helper() {
	s.n++
	s.cond.Broadcast()
}
