// Package mixed takes the value by an atomic swap.
package mixed

import "sync/atomic"

// A Meter counts between two readings.
type Meter struct{ n int64 }

// Mark counts one.
func (m *Meter) Mark() { atomic.AddInt64(&m.n, 1) }

// Take returns the count and begins again at zero.
func (m *Meter) Take() int64 { return atomic.SwapInt64(&m.n, 0) }
