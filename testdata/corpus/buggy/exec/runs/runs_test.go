package runs

import (
	"sync"
	"testing"
)

func TestRunner(t *testing.T) {
	var r Runner
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			if err := r.Run("true"); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if n := r.Runs(); n != 2 {
		t.Errorf("%d runs, want 2", n)
	}
}
