// Package homemade is a once that keeps a lock while its function runs.
package homemade

import "sync"

// A Once runs a function at its first use.
type Once struct {
	mu   sync.Mutex
	done bool
}

// Do runs f unless it ran before, and returns when f has returned.
func (o *Once) Do(f func()) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.done {
		f()
		o.done = true
	}
}
