// Package doublechecked looks at an atomic flag before it takes the lock, and the flag is set when the value is complete.
package doublechecked

import (
	"sync"
	"sync/atomic"
)

// A Table is built at the first use.
type Table struct {
	mu    sync.Mutex
	built atomic.Bool
	sum   int
}

// Sum returns 1 + 2 + 3.
func (t *Table) Sum() int {
	if !t.built.Load() {
		t.mu.Lock()
		defer t.mu.Unlock()
		if !t.built.Load() {
			for i := range 4 {
				t.sum += i
			}
			t.built.Store(true)
		}
	}
	return t.sum
}
