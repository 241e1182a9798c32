package eventbus

import (
	"sync"
	"testing"
)

// The handler is called once at most, unless it is removed before.
func TestBus(t *testing.T) {
	b := New()
	b.On("once", func() { b.Off("once") })
	var wg sync.WaitGroup
	wg.Go(b.Emit)
	wg.Go(func() { b.Off("once") })
	wg.Wait()
	if n := len(b.handlers); n != 0 {
		t.Errorf("%d handlers left", n)
	}
}
