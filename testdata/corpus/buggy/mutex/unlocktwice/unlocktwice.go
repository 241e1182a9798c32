// Package unlocktwice tests and clears a flag in two steps, so that the holder of a lease and the janitor both unlock the mutex.
//
// Expect: fatal
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
	if l.held.Load() {
		l.held.Store(false)
		l.mu.Unlock()
	}
}
