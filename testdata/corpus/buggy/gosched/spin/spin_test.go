package spin

import "testing"

func TestResult(t *testing.T) {
	r := New()
	go r.Compute()
	if got := r.Get(); got != 42 {
		t.Errorf("got %d, want 42", got)
	}
}
