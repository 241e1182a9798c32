package homemade

import (
	"sync"
	"sync/atomic"
	"testing"
)

func TestOnce(t *testing.T) {
	var once Once
	var value atomic.Int32
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			once.Do(func() { value.Add(1) })
			if v := value.Load(); v != 1 {
				t.Errorf("value %d after Do, want 1", v)
			}
		})
	}
	wg.Wait()
}
