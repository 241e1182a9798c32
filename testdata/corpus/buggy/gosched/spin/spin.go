// Package spin waits for a plain variable in a loop with runtime.Gosched, which does not synchronise.
//
// Expect: race
package spin

import "runtime"

// A Result is computed in another goroutine.
type Result struct {
	value int
	ready bool
}

// Compute computes the result.
func (r *Result) Compute() {
	r.value = 42
	r.ready = true
}

// Get waits for the result.
func (r *Result) Get() int {
	for !r.ready {
		runtime.Gosched()
	}
	return r.value
}

// New returns a result that is not computed yet.
func New() *Result { return new(Result) }
