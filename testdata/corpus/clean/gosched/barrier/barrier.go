// Package barrier counts arrivals by an atomic addition, and the last one opens the barrier.
package barrier

import "sync/atomic"

// A Barrier holds n goroutines until all have arrived.
type Barrier struct {
	n       int32
	arrived atomic.Int32
	open    chan struct{}
}

// New returns a barrier for n goroutines.
func New(n int32) *Barrier { return &Barrier{n: n, open: make(chan struct{})} }

// Arrive returns when all have arrived.
func (b *Barrier) Arrive() {
	if b.arrived.Add(1) == b.n {
		close(b.open)
	}
	<-b.open
}
