// Package webcrawler tests a worker's connection for nil and uses it afterwards, when the worker may have dropped it.
//
// Expect: race|panic
package webcrawler

type connection struct{ stop bool }

// A Worker crawls over one connection at a time.
type Worker struct{ connection *connection }

// Crawl serves one connection.
func (w *Worker) Crawl() {
	w.connection = new(connection)
	w.connection = nil
}

// Finish asks the worker not to serve any further connection.
func (w *Worker) Finish() {
	if w.connection != nil {
		w.connection.stop = true
	}
}
