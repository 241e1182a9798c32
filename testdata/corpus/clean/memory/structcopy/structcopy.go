// Package structcopy copies and changes the struct under a lock.
package structcopy

import "sync"

// A Point has two coordinates.
type Point struct{ X, Y int }

// A Sprite moves along the diagonal.
type Sprite struct {
	mu sync.Mutex
	at Point
}

// Move moves both coordinates.
func (s *Sprite) Move(by int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.at.X += by
	s.at.Y += by
}

// At returns the position.
func (s *Sprite) At() Point {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.at
}
