package stalecache

import (
	"sync"
	"testing"
)

func TestCache(t *testing.T) {
	var c Cache
	var wg sync.WaitGroup
	wg.Go(func() { c.Get() })
	wg.Go(func() { c.Set(1) })
	wg.Wait()
	if got := c.Get(); got != 1 {
		t.Errorf("got %d, want 1", got)
	}
}
