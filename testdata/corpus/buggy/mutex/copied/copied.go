// Package copied counts in a method with a value receiver, so that each call locks its own copy of the mutex.
//
// Expect: race|fail
package copied

import "sync"

// A Tally counts in memory that it shares with its copies.
type Tally struct {
	mu sync.Mutex
	n  *int
}

// New returns a tally of zero.
func New() *Tally { return &Tally{n: new(int)} }

// Inc counts one.
func (t Tally) Inc() {
	t.mu.Lock()
	*t.n++
	t.mu.Unlock()
}
