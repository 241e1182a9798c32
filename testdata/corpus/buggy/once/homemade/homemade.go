// Package homemade is a once whose later callers do not wait for the first one's function.
//
// Expect: fail
package homemade

import "sync/atomic"

// A Once runs a function at its first use.
type Once struct{ started atomic.Bool }

// Do runs f unless it ran before, and returns when f has returned.
func (o *Once) Do(f func()) {
	if o.started.CompareAndSwap(false, true) {
		f()
	}
}
