// Package loadstore increments by one atomic addition.
package loadstore

import "sync/atomic"

// A Counter counts.
type Counter struct{ n atomic.Int64 }

// Inc adds one.
func (c *Counter) Inc() { c.n.Add(1) }

// Value returns the count.
func (c *Counter) Value() int64 { return c.n.Load() }
