package refcount

import (
	"sync"
	"testing"
)

func TestFile(t *testing.T) {
	f := New(2)
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(f.Release)
	}
	wg.Wait()
	if n := f.closed.Load(); n != 1 {
		t.Errorf("closed %d times, want once", n)
	}
}
