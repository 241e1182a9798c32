package barrier

import (
	"sync"
	"testing"
)

func TestBarrier(t *testing.T) {
	b := New(2)
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			for range 2 {
				b.Arrive()
			}
		})
	}
	wg.Wait()
	if b.count != 0 {
		t.Errorf("count %d, want 0", b.count)
	}
}
