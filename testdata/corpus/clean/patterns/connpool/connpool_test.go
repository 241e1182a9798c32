package connpool

import (
	"sync"
	"testing"
)

func TestPool(t *testing.T) {
	p := New(1)
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			if c, err := p.Get(); err == nil {
				p.Put(c)
			}
		})
	}
	wg.Wait()
	if len(p.idle) != 1 {
		t.Errorf("%d connections, want 1", len(p.idle))
	}
}
