// Package barrier counts arrivals by a load and a store; when one is lost, everybody yields for ever.
//
// Expect: livelock
package barrier

import (
	"runtime"
	"sync/atomic"
)

// A Barrier holds n goroutines until all have arrived.
type Barrier struct {
	n       int32
	arrived atomic.Int32
}

// New returns a barrier for n goroutines.
func New(n int32) *Barrier { return &Barrier{n: n} }

// Arrive returns when all have arrived.
func (b *Barrier) Arrive() {
	b.arrived.Store(b.arrived.Load() + 1)
	for b.arrived.Load() < b.n {
		runtime.Gosched()
	}
}
