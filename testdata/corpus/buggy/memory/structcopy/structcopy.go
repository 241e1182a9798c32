// Package structcopy copies a struct while another goroutine changes its fields.
//
// Expect: race|fail
package structcopy

// A Point has two coordinates.
type Point struct{ X, Y int }

// A Sprite moves along the diagonal.
type Sprite struct{ at Point }

// Move moves both coordinates.
func (s *Sprite) Move(by int) {
	s.at.X += by
	s.at.Y += by
}

// At returns the position.
func (s *Sprite) At() Point { return s.at }
