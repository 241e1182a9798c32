package lockinside

import (
	"sync"
	"testing"
)

func TestCache(t *testing.T) {
	var c Cache
	var got int
	var wg sync.WaitGroup
	wg.Go(func() { got = c.Get("a") })
	wg.Go(c.Warm)
	wg.Wait()
	if got != 1 {
		t.Errorf("got %d, want 1", got)
	}
}
