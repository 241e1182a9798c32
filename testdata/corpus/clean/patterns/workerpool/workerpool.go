// Package workerpool lets the submitter wait for the end of the worker as well.
package workerpool

import "errors"

// ErrStopped says that the job was not run.
var ErrStopped = errors.New("stopped")

type job struct {
	run  func()
	done chan struct{}
}

// A Pool runs jobs in one worker.
type Pool struct {
	jobs           chan job
	quit, stopDone chan struct{}
}

// New starts a pool.
func New() *Pool {
	p := &Pool{jobs: make(chan job), quit: make(chan struct{}), stopDone: make(chan struct{})}
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
	j := job{run, make(chan struct{})}
	select {
	case p.jobs <- j: // the worker has it, since the channel has no buffer
		<-j.done
		return nil
	case <-p.stopDone:
		return ErrStopped
	}
}

// Stop ends the worker.
func (p *Pool) Stop() {
	close(p.quit)
	<-p.stopDone
}
