package barrier

import (
	"sync"
	"testing"
)

func TestBarrier(t *testing.T) {
	b := New(2)
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(b.Arrive)
	}
	wg.Wait()
	if n := b.arrived.Load(); n != 2 {
		t.Errorf("%d arrived, want 2", n)
	}
}
