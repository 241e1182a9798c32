package collect

import (
	"testing"
	"testing/synctest"
	"time"
)

func TestSquares(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		if sum := Squares([]int{1, 2, 3}); sum != 14 {
			t.Errorf("sum %d, want 14", sum)
		}
		if d := time.Since(began); d != 3*time.Second {
			t.Errorf("it took %v, want 3s", d)
		}
	})
}
