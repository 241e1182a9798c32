// Package transfer locks the account with the lower id first.
package transfer

import "sync"

// An Account holds money.
type Account struct {
	mu      sync.Mutex
	id      int
	balance int
}

// Transfer moves amount from src to dst.
func Transfer(src, dst *Account, amount int) {
	first, second := src, dst
	if second.id < first.id {
		first, second = second, first
	}
	first.mu.Lock()
	defer first.mu.Unlock()
	second.mu.Lock()
	defer second.mu.Unlock()
	src.balance -= amount
	dst.balance += amount
}
