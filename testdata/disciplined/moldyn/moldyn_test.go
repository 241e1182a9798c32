package moldyn

import (
	"math"
	"testing"
)

func TestMomentum(t *testing.T) {
	s := New(3, 6)
	x, y, z := s.Momentum()
	s.Run(2, 3, 0.001)
	x2, y2, z2 := s.Momentum()
	if math.Abs(x-x2)+math.Abs(y-y2)+math.Abs(z-z2) > 1e-9 {
		t.Errorf("momentum %g %g %g became %g %g %g", x, y, z, x2, y2, z2)
	}
	if s.Potential() >= 0 {
		t.Errorf("potential %g", s.Potential())
	}
}
