// Package reorder reads and writes the two related fields under a lock.
package reorder

import "sync"

// A Pair is consistent when b is -a.
type Pair struct {
	mu   sync.Mutex
	a, b int
}

// Set changes both fields.
func (p *Pair) Set() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.a = 1
	p.b = -1
}

// Consistent reports whether b is -a.
func (p *Pair) Consistent() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.a == -p.b
}
