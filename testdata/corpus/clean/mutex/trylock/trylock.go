// Package trylock waits for the lock.
package trylock

import "sync"

// Hits counts page views.
type Hits struct {
	mu sync.Mutex
	n  int
}

// Inc counts a page view.
func (h *Hits) Inc() {
	h.mu.Lock()
	h.n++
	h.mu.Unlock()
}
