package bank

import (
	"sync"
	"testing"
)

func TestBank2(t *testing.T) { business(t, 2) }
func TestBank4(t *testing.T) { business(t, 4) }
func TestBank8(t *testing.T) { business(t, 8) }

// business lets each of n clients send money to the next.
func business(t *testing.T, n int) {
	b := New(n, 10)
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() { b.Transfer(i, (i+1)%n, 5) })
	}
	wg.Wait()
	if b.Transfers() != n {
		t.Errorf("%d transfers, want %d", b.Transfers(), n)
	}
	for i := range b.accounts {
		if got := b.accounts[i].balance; got != 10 {
			t.Errorf("account %d: balance %d, want 10", i, got)
		}
	}
}
