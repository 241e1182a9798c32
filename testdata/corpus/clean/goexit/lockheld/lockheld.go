// Package lockheld unlocks in a deferred call, which runs on Goexit too.
package lockheld

import (
	"runtime"
	"sync"
)

// A Budget ends goroutines that want more than there is.
type Budget struct {
	mu   sync.Mutex
	left int
}

// Spend ends the goroutine if the budget is used up.
func (b *Budget) Spend(n int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.left < n {
		runtime.Goexit()
	}
	b.left -= n
}

// Add raises the budget.
func (b *Budget) Add(n int) {
	b.mu.Lock()
	b.left += n
	b.mu.Unlock()
}
