package lockheld

import (
	"sync"
	"testing"
)

func TestBudget(t *testing.T) {
	var b Budget
	var wg sync.WaitGroup
	wg.Go(func() { b.Spend(1) })
	wg.Go(func() { b.Add(1) })
	wg.Wait()
	if b.left != 0 && b.left != 1 {
		t.Errorf("left %d", b.left)
	}
}
