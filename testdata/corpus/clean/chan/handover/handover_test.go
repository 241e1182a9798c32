package handover

import "testing"

func TestSum(t *testing.T) {
	if sum, total := Sum([]int{0, 1, 2, 3, 4}); sum != 10 || total != 5 {
		t.Errorf("sum %d of %d values, want 10 of 5", sum, total)
	}
}
