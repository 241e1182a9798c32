// Package bits sets a bit by a load and a store, which clears a bit that was set in between.
//
// Expect: fail
package bits

import "sync/atomic"

// A Set holds the numbers 0 to 31.
type Set struct{ bits uint32 }

// Add adds n.
func (s *Set) Add(n int) { atomic.StoreUint32(&s.bits, atomic.LoadUint32(&s.bits)|1<<n) }

// Has reports whether n is in the set.
func (s *Set) Has(n int) bool { return atomic.LoadUint32(&s.bits)&(1<<n) != 0 }
