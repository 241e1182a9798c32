// Package loadstore increments by an atomic load and an atomic store, between which another increment is lost.
//
// Expect: fail
package loadstore

import "sync/atomic"

// A Counter counts.
type Counter struct{ n atomic.Int64 }

// Inc adds one.
func (c *Counter) Inc() { c.n.Store(c.n.Load() + 1) }

// Value returns the count.
func (c *Counter) Value() int64 { return c.n.Load() }
