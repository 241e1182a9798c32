package overdraft

import (
	"sync"
	"testing"
)

func TestWithdraw(t *testing.T) {
	a := &Account{balance: 100}
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() { a.Withdraw(80) })
	}
	wg.Wait()
	if a.Balance() != 20 {
		t.Errorf("balance %d, want 20", a.Balance())
	}
}
