package taketwice

import (
	"sync"
	"sync/atomic"
	"testing"
)

func TestRedeem(t *testing.T) {
	var o Office
	o.Issue("A1")
	var redeemed atomic.Int32
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			if o.Redeem("A1") {
				redeemed.Add(1)
			}
		})
	}
	wg.Wait()
	if n := redeemed.Load(); n != 1 {
		t.Errorf("redeemed %d times, want once", n)
	}
}
