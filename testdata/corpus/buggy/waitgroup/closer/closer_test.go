package closer

import "testing"

func TestSquares(t *testing.T) {
	sum := 0
	for square := range Squares(1, 2) {
		sum += square
	}
	if sum != 5 {
		t.Errorf("sum %d, want 5", sum)
	}
}
