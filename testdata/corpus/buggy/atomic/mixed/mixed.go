// Package mixed increments a counter atomically but takes its value by plain reads and writes.
//
// Expect: race|fail
package mixed

import "sync/atomic"

// A Meter counts between two readings.
type Meter struct{ n int64 }

// Mark counts one.
func (m *Meter) Mark() { atomic.AddInt64(&m.n, 1) }

// Take returns the count and begins again at zero.
func (m *Meter) Take() int64 {
	n := m.n
	m.n = 0
	return n
}
