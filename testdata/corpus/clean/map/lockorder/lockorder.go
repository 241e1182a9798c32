// Package lockorder locks all accounts in the order of their names.
package lockorder

import (
	"maps"
	"slices"
	"sync"
)

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
	for _, name := range slices.Sorted(maps.Keys(b)) {
		a := b[name]
		a.mu.Lock()
		defer a.mu.Unlock()
		total += a.balance
	}
	return total
}
