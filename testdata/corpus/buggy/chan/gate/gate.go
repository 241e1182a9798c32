// Package gate reads its state and the channel that announces changes in two critical sections, so that a waiter can get the channel of the next change.
//
// Expect: deadlock
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

func (g *Gate) isOpen() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.open
}

func (g *Gate) change() <-chan struct{} {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.changed
}

// Pass returns when the gate is open.
func (g *Gate) Pass() {
	for !g.isOpen() {
		<-g.change()
	}
}
