// Package bank counts transfers without a lock and locks the two accounts of a transfer in the order of its arguments.
//
// Expect: race|fail|deadlock
package bank

import "sync"

// An Account holds money.
type Account struct {
	mu      sync.Mutex
	balance int
}

// A Bank moves money between its accounts.
type Bank struct {
	accounts  []Account
	transfers int
}

// New opens n accounts with the given balance.
func New(n, balance int) *Bank {
	b := &Bank{accounts: make([]Account, n)}
	for i := range b.accounts {
		b.accounts[i].balance = balance
	}
	return b
}

// Transfer moves amount between two different accounts.
func (b *Bank) Transfer(from, to, amount int) {
	src, dst := &b.accounts[from], &b.accounts[to]
	src.mu.Lock()
	dst.mu.Lock()
	src.balance -= amount
	dst.balance += amount
	dst.mu.Unlock()
	src.mu.Unlock()
	b.transfers++
}

// Transfers returns the number of transfers.
func (b *Bank) Transfers() int { return b.transfers }
