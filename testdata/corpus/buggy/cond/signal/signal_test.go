package signal

import (
	"sync"
	"testing"
)

func TestSlot(t *testing.T) {
	s := New()
	var taken [2]int
	var wg sync.WaitGroup
	for i := range taken {
		wg.Go(func() { taken[i] = s.Take() })
		wg.Go(func() { s.Put(i + 1) })
	}
	wg.Wait()
	if taken[0]+taken[1] != 3 {
		t.Errorf("taken %v, want 1 and 2", taken)
	}
}
