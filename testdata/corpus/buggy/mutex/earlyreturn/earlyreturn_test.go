package earlyreturn

import (
	"sync"
	"testing"
)

func TestStock(t *testing.T) {
	var s Stock
	var taken bool
	var wg sync.WaitGroup
	wg.Go(func() { taken = s.Take(1) })
	wg.Go(func() { s.Put(1) })
	wg.Wait()
	if want := map[bool]int{true: 0, false: 1}[taken]; s.left != want {
		t.Errorf("taken %v, left %d", taken, s.left)
	}
}
