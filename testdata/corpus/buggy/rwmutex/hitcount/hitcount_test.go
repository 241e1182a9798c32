package hitcount

import (
	"sync"
	"testing"
)

func TestHits(t *testing.T) {
	c := New(map[string]int{"a": 1})
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() { c.Get("a") })
	}
	wg.Wait()
	if c.Hits() != 2 {
		t.Errorf("%d hits, want 2", c.Hits())
	}
}
