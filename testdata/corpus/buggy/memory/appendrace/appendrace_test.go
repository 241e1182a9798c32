package appendrace

import "testing"

func TestSquares(t *testing.T) {
	squares := Squares(1, 2)
	if len(squares) != 2 || squares[0]+squares[1] != 5 {
		t.Errorf("squares %v, want 1 and 4", squares)
	}
}
