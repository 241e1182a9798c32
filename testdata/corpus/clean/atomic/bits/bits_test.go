package bits

import (
	"sync"
	"testing"
)

func TestSet(t *testing.T) {
	var s Set
	var wg sync.WaitGroup
	for _, n := range []int{3, 5} {
		wg.Go(func() { s.Add(n) })
	}
	wg.Wait()
	if !s.Has(3) || !s.Has(5) {
		t.Errorf("bits %b, want 3 and 5", s.bits)
	}
}
