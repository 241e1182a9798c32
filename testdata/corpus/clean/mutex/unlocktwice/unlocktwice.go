// Package unlocktwice tests and clears the flag by one compare-and-swap.
package unlocktwice

import (
	"sync"
	"sync/atomic"
)

// A Lease can be given back by its holder or taken away by a janitor.
type Lease struct {
	mu   sync.Mutex
	held atomic.Bool
}

// Acquire waits for the lease.
func (l *Lease) Acquire() {
	l.mu.Lock()
	l.held.Store(true)
}

// Release ends the lease unless it has ended before.
func (l *Lease) Release() {
	if l.held.CompareAndSwap(true, false) {
		l.mu.Unlock()
	}
}
