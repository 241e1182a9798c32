// Package webcrawler tests and uses the connection under one lock.
package webcrawler

import "sync"

type connection struct{ stop bool }

// A Worker crawls over one connection at a time.
type Worker struct {
	mu         sync.Mutex
	connection *connection
}

func (w *Worker) set(c *connection) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.connection = c
}

// Crawl serves one connection.
func (w *Worker) Crawl() {
	w.set(new(connection))
	w.set(nil)
}

// Finish asks the worker not to serve any further connection.
func (w *Worker) Finish() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.connection != nil {
		w.connection.stop = true
	}
}
