package lockorder

import (
	"sync"
	"testing"
)

func TestTotal(t *testing.T) {
	b := Bank{"ann": {balance: 1}, "bob": {balance: 2}}
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			if total := b.Total(); total != 3 {
				t.Errorf("total %d, want 3", total)
			}
		})
	}
	wg.Wait()
}
