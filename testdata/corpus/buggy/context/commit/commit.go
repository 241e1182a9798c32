// Package commit reports a payment as cancelled while the goroutine that makes it goes on.
//
// Expect: fail
package commit

import (
	"context"
	"sync"
)

// An Account holds money.
type Account struct {
	mu      sync.Mutex
	balance int
}

// Balance returns the balance.
func (a *Account) Balance() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.balance
}

func (a *Account) withdraw(amount int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.balance -= amount
}

// Pay pays, unless it returns an error.
func (a *Account) Pay(ctx context.Context, amount int) error {
	done := make(chan struct{})
	go func() {
		a.withdraw(amount)
		close(done)
	}()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
