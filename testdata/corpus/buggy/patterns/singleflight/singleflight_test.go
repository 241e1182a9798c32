package singleflight

import (
	"sync"
	"sync/atomic"
	"testing"
)

func TestDo(t *testing.T) {
	g := New()
	var inFlight atomic.Int32
	load := func() int {
		if n := inFlight.Add(1); n > 1 {
			t.Errorf("%d calls in flight", n)
		}
		defer inFlight.Add(-1)
		return 42
	}
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			if v := g.Do("key", load); v != 42 {
				t.Errorf("value %d, want 42", v)
			}
		})
	}
	wg.Wait()
}
