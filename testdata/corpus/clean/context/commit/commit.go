// Package commit looks at the context once, before the payment, which then cannot be cancelled.
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
	if err := ctx.Err(); err != nil {
		return err
	}
	a.withdraw(amount)
	return nil
}
