// Package workerpool stops its worker while an accepted job is in the queue, and the submitter waits for that job for ever.
//
// Expect: deadlock
package workerpool

import (
	"errors"
	"sync/atomic"
)

// ErrStopped says that the job was not run.
var ErrStopped = errors.New("stopped")

type job struct {
	run  func()
	done chan struct{}
}

// A Pool runs jobs in one worker.
type Pool struct {
	jobs           chan job
	stopped        atomic.Bool
	quit, stopDone chan struct{}
}

// New starts a pool.
func New() *Pool {
	p := &Pool{jobs: make(chan job, 1), quit: make(chan struct{}), stopDone: make(chan struct{})}
	go p.work()
	return p
}

func (p *Pool) work() {
	defer close(p.stopDone)
	for {
		select {
		case j := <-p.jobs:
			j.run()
			close(j.done)
		case <-p.quit:
			return
		}
	}
}

// Submit returns when the job has run, or ErrStopped.
func (p *Pool) Submit(run func()) error {
	if p.stopped.Load() {
		return ErrStopped
	}
	j := job{run, make(chan struct{})}
	p.jobs <- j
	<-j.done
	return nil
}

// Stop ends the worker.
func (p *Pool) Stop() {
	p.stopped.Store(true)
	close(p.quit)
	<-p.stopDone
}
