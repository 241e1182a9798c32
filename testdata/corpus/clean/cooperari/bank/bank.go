// Package bank counts transfers atomically and locks the account with the lower number first.
package bank

import (
	"sync"
	"sync/atomic"
)

// An Account holds money.
type Account struct {
	mu      sync.Mutex
	balance int
}

// A Bank moves money between its accounts.
type Bank struct {
	accounts  []Account
	transfers atomic.Int64
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
	first, second := &b.accounts[min(from, to)], &b.accounts[max(from, to)]
	first.mu.Lock()
	second.mu.Lock()
	b.accounts[from].balance -= amount
	b.accounts[to].balance += amount
	second.mu.Unlock()
	first.mu.Unlock()
	b.transfers.Add(1)
}

// Transfers returns the number of transfers.
func (b *Bank) Transfers() int { return int(b.transfers.Load()) }
