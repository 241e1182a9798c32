package doublechecked

import (
	"sync"
	"testing"
)

func TestSum(t *testing.T) {
	var table Table
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			if sum := table.Sum(); sum != 6 {
				t.Errorf("sum %d, want 6", sum)
			}
		})
	}
	wg.Wait()
}
