// Package doublechecked looks at a plain flag before it takes the lock, and the flag is set before the value is complete.
//
// Expect: race|fail
package doublechecked

import "sync"

// A Table is built at the first use.
type Table struct {
	mu    sync.Mutex
	built bool
	sum   int
}

// Sum returns 1 + 2 + 3.
func (t *Table) Sum() int {
	if !t.built {
		t.mu.Lock()
		defer t.mu.Unlock()
		if !t.built {
			t.built = true
			for i := range 4 {
				t.sum += i
			}
		}
	}
	return t.sum
}
