package atomics

import (
	"runtime"
	"sync/atomic"
)

// A stripe is changed by the one goroutine that has set busy.
type stripe struct {
	busy, done atomic.Bool
	n          atomic.Int64
}

func (s *stripe) spun() {
	for !s.busy.CompareAndSwap(false, true) {
		runtime.Gosched()
	}
	s.n.Store(s.n.Load() + 1)
	s.busy.Store(false)
}

func (s *stripe) tried() bool {
	if !s.busy.CompareAndSwap(false, true) {
		return false
	}
	defer s.busy.Store(false)
	if s.n.Load() == 0 {
		println("first")
		s.n.Store(1)
	}
	return true
}

// The load comes before.
func (s *stripe) early() {
	n := s.n.Load()
	for !s.busy.CompareAndSwap(false, true) {
		runtime.Gosched()
	}
	s.n.Store(n + 1) // want `s.n is stored after it was loaded`
	s.busy.Store(false)
}

// Who fails goes on all the same.
func (s *stripe) careless() {
	if !s.busy.CompareAndSwap(false, true) {
		runtime.Gosched()
	}
	s.n.Store(s.n.Load() + 1) // want `s.n is stored after it was loaded`
	s.busy.Store(false)
}

// The store comes after the others may go on.
func (s *stripe) late() {
	for !s.busy.CompareAndSwap(false, true) {
		runtime.Gosched()
	}
	n := s.n.Load()
	s.busy.Store(false)
	s.n.Store(n + 1) // want `s.n is stored after it was loaded`
}

// Nothing is done once and for all only because it happens once here.
func (s *stripe) once() {
	if s.done.CompareAndSwap(false, true) {
		s.n.Store(s.n.Load() + 1) // want `s.n is stored after it was loaded`
	}
}
