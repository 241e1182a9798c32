// Package twostage updates two related values in two critical sections, so that a reader can see the first without the second.
//
// Expect: fail
package twostage

import "sync"

// Data is a value with its lock.
type Data struct {
	mu    sync.Mutex
	value int
}

// TwoStage keeps second at first + 1, once first is set.
type TwoStage struct{ first, second Data }

// Set changes both values.
func (s *TwoStage) Set(v int) {
	s.first.mu.Lock()
	s.first.value = v
	s.first.mu.Unlock()
	s.second.mu.Lock()
	s.second.value = v + 1
	s.second.mu.Unlock()
}

// Get returns both values.
func (s *TwoStage) Get() (first, second int) {
	s.first.mu.Lock()
	first = s.first.value
	s.first.mu.Unlock()
	s.second.mu.Lock()
	second = s.second.value
	s.second.mu.Unlock()
	return first, second
}
