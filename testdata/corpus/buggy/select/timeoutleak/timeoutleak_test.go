package timeoutleak

import (
	"sync"
	"testing"
	"time"
)

func TestCall(t *testing.T) {
	var b Backend
	var wg sync.WaitGroup
	for _, timeout := range []time.Duration{time.Hour, 3 * time.Millisecond / 2} {
		wg.Go(func() {
			if v, err := b.Call(timeout); err == nil && v != 42 {
				t.Errorf("result %d, want 42", v)
			}
		})
	}
	wg.Wait()
}
