// Package overdraft checks the balance and withdraws in two critical sections.
//
// Expect: fail
package overdraft

import "sync"

// An Account must never be in the red.
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

// Withdraw reports whether there was enough money.
func (a *Account) Withdraw(amount int) bool {
	if a.Balance() < amount {
		return false
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.balance -= amount
	return true
}
