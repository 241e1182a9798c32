// Package spin waits for a channel to be closed.
package spin

// A Result is computed in another goroutine.
type Result struct {
	value int
	ready chan struct{}
}

// Compute computes the result.
func (r *Result) Compute() {
	r.value = 42
	close(r.ready)
}

// Get waits for the result.
func (r *Result) Get() int {
	<-r.ready
	return r.value
}

// New returns a result that is not computed yet.
func New() *Result { return &Result{ready: make(chan struct{})} }
