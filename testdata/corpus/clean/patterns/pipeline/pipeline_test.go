package pipeline

import "testing"

func TestFirstSquare(t *testing.T) {
	if got := FirstSquare(2); got != 4 {
		t.Errorf("got %d, want 4", got)
	}
}
