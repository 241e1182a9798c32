// Package lockorder locks all accounts in the order of a map iteration, which differs from call to call.
//
// Expect: deadlock
package lockorder

import "sync"

// An Account holds money.
type Account struct {
	mu      sync.Mutex
	balance int
}

// A Bank finds its accounts by name.
type Bank map[string]*Account

// Total returns the sum of all balances at one moment.
func (b Bank) Total() int {
	total := 0
	for _, a := range b {
		a.mu.Lock()
		defer a.mu.Unlock()
		total += a.balance
	}
	return total
}
