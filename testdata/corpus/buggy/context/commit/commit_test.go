package commit

import (
	"context"
	"sync"
	"testing"
)

func TestPay(t *testing.T) {
	a := &Account{balance: 100}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var wg sync.WaitGroup
	wg.Go(cancel)
	wg.Go(func() {
		if err := a.Pay(ctx, 30); err != nil && a.Balance() != 100 {
			t.Errorf("payment reported as %v, but the balance is %d", err, a.Balance())
		}
	})
	wg.Wait()
}
