// Package trylock skips its work when the lock is taken, as if a failed TryLock meant that somebody else does the same work.
//
// Expect: fail
package trylock

import "sync"

// Hits counts page views.
type Hits struct {
	mu sync.Mutex
	n  int
}

// Inc counts a page view.
func (h *Hits) Inc() {
	if h.mu.TryLock() {
		h.n++
		h.mu.Unlock()
	}
}
