// Package main has goroutines that run functions which start such goroutines again.
package main

import "sync"

type pool struct {
	mu    sync.Mutex
	idle  []*worker
	runs  int
	extra int
}

type worker struct {
	p     *pool
	tasks chan func()
	done  int
}

func (p *pool) submit(f func()) {
	p.mu.Lock()
	p.runs++ // want locked
	var w *worker
	if n := len(p.idle); n > 0 { // want locked
		w = p.idle[n-1]       // want locked
		p.idle = p.idle[:n-1] // want locked
	}
	p.mu.Unlock()
	if w == nil {
		w = &worker{p: p, tasks: make(chan func(), 1)}
		w.run()
	}
	w.tasks <- f
}

func (w *worker) run() {
	go func() {
		for f := range w.tasks {
			f()
			w.done++
			w.p.extra++ // want read-only, unprotected, unshared
			w.p.mu.Lock()
			w.p.idle = append(w.p.idle, w) // want locked, read-only, unshared
			w.p.mu.Unlock()
		}
	}()
}

func main() {
	p := &pool{}
	p.submit(func() {
		p.submit(func() {})
	})
}
