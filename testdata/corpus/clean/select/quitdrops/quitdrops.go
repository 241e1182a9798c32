// Package quitdrops works off the accepted jobs after quit.
package quitdrops

// A Worker adds up its jobs.
type Worker struct {
	jobs       chan int
	quit, done chan struct{}
	sum        int
}

// New starts a worker.
func New() *Worker {
	w := &Worker{jobs: make(chan int, 1), quit: make(chan struct{}), done: make(chan struct{})}
	go w.run()
	return w
}

func (w *Worker) run() {
	defer close(w.done)
	for {
		select {
		case job := <-w.jobs:
			w.sum += job
		case <-w.quit:
			w.drain()
			return
		}
	}
}

func (w *Worker) drain() {
	for {
		select {
		case job := <-w.jobs:
			w.sum += job
		default:
			return
		}
	}
}

// Submit hands a job to the worker.
func (w *Worker) Submit(job int) { w.jobs <- job }

// Stop returns the sum of all jobs. There must be no Submit at the same time or later.
func (w *Worker) Stop() int {
	close(w.quit)
	<-w.done
	return w.sum
}
