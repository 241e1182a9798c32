package reorder

import (
	"sync"
	"testing"
)

func TestReorder2(t *testing.T) { setAndCheck(t, 2) }
func TestReorder4(t *testing.T) { setAndCheck(t, 4) }
func TestReorder8(t *testing.T) { setAndCheck(t, 8) }

// setAndCheck runs n goroutines, which set and check in turn.
func setAndCheck(t *testing.T, n int) {
	var p Pair
	ok := make([]bool, n)
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			if i%2 == 0 {
				ok[i] = p.Consistent()
			} else {
				p.Set()
				ok[i] = true
			}
		})
	}
	wg.Wait()
	for i := range ok {
		if !ok[i] {
			t.Errorf("goroutine %d saw an inconsistent pair", i)
		}
	}
}
