package kept

import (
	"errors"
	"runtime"
	"sync"
)

type stock struct {
	mu   sync.Mutex
	left int
}

var errEmpty = errors.New("empty")

func (s *stock) take(n int) bool {
	s.mu.Lock()
	if s.left < n {
		return false // want `s.mu is still held at this return, while others release it`
	}
	s.left -= n
	s.mu.Unlock()
	return true
}

func (s *stock) takeErr(n int) error {
	s.mu.Lock()
	if s.left < n {
		return errEmpty // want `s.mu is still held at this return`
	}
	s.left -= n
	s.mu.Unlock()
	return nil
}

func (s *stock) takeDeferred(n int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.left < n {
		return false
	}
	s.left -= n
	return true
}

// True says that the lock is kept.
func (s *stock) reserve(n int) bool {
	s.mu.Lock()
	if s.left >= n {
		return true
	}
	s.mu.Unlock()
	return false
}

// The name says it.
func (s *stock) lockIf(n int) int {
	s.mu.Lock()
	if s.left < n {
		return 0
	}
	s.mu.Unlock()
	return 1
}

// The caller gets a function that unlocks.
func (s *stock) open(n int) func() {
	s.mu.Lock()
	if s.left < n {
		s.mu.Unlock()
		return nil
	}
	return s.mu.Unlock
}

func (s *stock) spend(n int) {
	s.mu.Lock()
	if s.left < n {
		runtime.Goexit() // want `the goroutine ends with s.mu held`
	}
	s.left -= n
	s.mu.Unlock()
}

func (s *stock) spendDeferred(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.left < n {
		runtime.Goexit()
	}
	s.left -= n
}
