// Package twostage keeps both locks for the whole of each operation.
package twostage

import "sync"

// Data is a value with its lock.
type Data struct {
	mu    sync.Mutex
	value int
}

// TwoStage keeps second at first + 1, once first is set.
type TwoStage struct{ first, second Data }

func (s *TwoStage) lock() {
	s.first.mu.Lock()
	s.second.mu.Lock()
}

func (s *TwoStage) unlock() {
	s.second.mu.Unlock()
	s.first.mu.Unlock()
}

// Set changes both values.
func (s *TwoStage) Set(v int) {
	s.lock()
	defer s.unlock()
	s.first.value = v
	s.second.value = v + 1
}

// Get returns both values.
func (s *TwoStage) Get() (first, second int) {
	s.lock()
	defer s.unlock()
	return s.first.value, s.second.value
}
