// Package gate reads its state and the channel that announces the next change in one critical section.
package gate

import "sync"

// A Gate is closed until Open.
type Gate struct {
	mu      sync.Mutex
	open    bool
	changed chan struct{}
}

// New returns a closed gate.
func New() *Gate { return &Gate{changed: make(chan struct{})} }

// Open lets everyone through.
func (g *Gate) Open() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.open = true
	close(g.changed)
	g.changed = make(chan struct{})
}

func (g *Gate) state() (open bool, changed <-chan struct{}) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.open, g.changed
}

// Pass returns when the gate is open.
func (g *Gate) Pass() {
	for {
		open, changed := g.state()
		if open {
			return
		}
		<-changed
	}
}
