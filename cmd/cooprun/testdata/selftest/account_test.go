package selftest

import (
	"sync"
	"testing"
	"time"
)

func deposit(t *testing.T, f func(*Account, int)) {
	var a Account
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() { f(&a, 50) })
	}
	wg.Wait()
	if b := a.Balance(); b != 100 {
		t.Errorf("balance is %d, want 100", b)
	}
}

func TestUpdateBug(t *testing.T) { deposit(t, (*Account).DepositWrong) }

func TestUpdate(t *testing.T) { deposit(t, (*Account).Deposit) }

func TestRaceBug(t *testing.T) {
	n := 0
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() { n++ })
	}
	wg.Wait()
}

func TestDeadlockBug(t *testing.T) {
	var a, b sync.Mutex
	var wg sync.WaitGroup
	wg.Go(func() { a.Lock(); b.Lock(); b.Unlock(); a.Unlock() })
	wg.Go(func() { b.Lock(); a.Lock(); a.Unlock(); b.Unlock() })
	wg.Wait()
}

func TestVirtualTime(t *testing.T) {
	c := make(chan int, 1)
	go func() {
		time.Sleep(time.Hour)
		c <- 1
	}()
	select {
	case <-c:
	case <-time.After(2 * time.Hour):
		t.Error("the longer timer fired first")
	}
}
