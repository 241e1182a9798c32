// Package selfstop lets a worker call a stop function made by sync.OnceFunc that waits for the worker.
//
// Expect: deadlock
package selfstop

import "sync"

// A Worker works until it is stopped or meets a bad job.
type Worker struct {
	// Stop ends the worker and returns when it has ended.
	Stop       func()
	jobs       chan int
	quit, done chan struct{}
	sum        int
}

// New starts a worker.
func New() *Worker {
	w := &Worker{jobs: make(chan int, 2), quit: make(chan struct{}), done: make(chan struct{})}
	w.Stop = sync.OnceFunc(func() {
		close(w.quit)
		<-w.done
	})
	go w.run()
	return w
}

func (w *Worker) run() {
	defer close(w.done)
	for {
		select {
		case <-w.quit:
			return
		case job := <-w.jobs:
			if job < 0 {
				w.Stop()
				return
			}
			w.sum += job
		}
	}
}
