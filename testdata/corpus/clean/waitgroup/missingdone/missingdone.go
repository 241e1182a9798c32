// Package missingdone defers Done before anything can return.
package missingdone

import (
	"sync"
	"sync/atomic"
)

// A Job can be stopped before its parts have begun.
type Job struct {
	stopped atomic.Bool
	parts   atomic.Int32
}

// Stop prevents parts that have not begun.
func (j *Job) Stop() { j.stopped.Store(true) }

// Run runs n parts in parallel.
func (j *Job) Run(n int) {
	var wg sync.WaitGroup
	wg.Add(n)
	for range n {
		go func() {
			defer wg.Done()
			if j.stopped.Load() {
				return
			}
			j.parts.Add(1)
		}()
	}
	wg.Wait()
}
