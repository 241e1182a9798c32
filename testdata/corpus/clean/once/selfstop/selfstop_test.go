package selfstop

import "testing"

func TestWorker(t *testing.T) {
	w := New()
	w.jobs <- 1
	w.jobs <- -1
	w.Stop()
	if w.sum < 0 || w.sum > 1 {
		t.Errorf("sum %d, want 0 or 1", w.sum)
	}
}
