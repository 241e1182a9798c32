// Package selftest is what cooprun doctor runs: programs with a known bug and their
// corrected twins.
package selftest

import "sync"

// Account is a balance behind a lock.
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

// DepositWrong loses updates: another deposit fits between its two critical sections.
func (a *Account) DepositWrong(n int) {
	b := a.Balance()
	a.mu.Lock()
	a.balance = b + n
	a.mu.Unlock()
}

// Deposit is right.
func (a *Account) Deposit(n int) {
	a.mu.Lock()
	a.balance += n
	a.mu.Unlock()
}
