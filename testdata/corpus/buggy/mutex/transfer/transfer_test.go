package transfer

import (
	"sync"
	"testing"
)

func TestTransfer(t *testing.T) {
	a := &Account{id: 1, balance: 100}
	b := &Account{id: 2, balance: 100}
	var wg sync.WaitGroup
	wg.Go(func() { Transfer(a, b, 10) })
	wg.Go(func() { Transfer(b, a, 30) })
	wg.Wait()
	if a.balance != 120 || b.balance != 80 {
		t.Errorf("balances %d and %d, want 120 and 80", a.balance, b.balance)
	}
}
