package loadstore

import (
	"sync"
	"testing"
)

func TestCounter(t *testing.T) {
	var c Counter
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(c.Inc)
	}
	wg.Wait()
	if n := c.Value(); n != 2 {
		t.Errorf("counted %d, want 2", n)
	}
}
