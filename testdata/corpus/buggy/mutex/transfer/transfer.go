// Package transfer locks two accounts in the order of its arguments, so that two opposite transfers can wait for each other.
//
// Expect: deadlock
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
	src.mu.Lock()
	defer src.mu.Unlock()
	dst.mu.Lock()
	defer dst.mu.Unlock()
	src.balance -= amount
	dst.balance += amount
}
