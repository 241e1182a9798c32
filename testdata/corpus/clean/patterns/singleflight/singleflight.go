// Package singleflight looks for a call in flight and registers its own in one critical section.
package singleflight

import "sync"

type call struct {
	done  chan struct{}
	value int
}

// A Group makes one call at a time for each key.
type Group struct {
	mu    sync.Mutex
	calls map[string]*call
}

// New returns a group.
func New() *Group { return &Group{calls: make(map[string]*call)} }

// Do calls f, or waits for the call in flight and returns its value.
func (g *Group) Do(key string, f func() int) int {
	g.mu.Lock()
	if c := g.calls[key]; c != nil {
		g.mu.Unlock()
		<-c.done
		return c.value
	}
	c := &call{done: make(chan struct{})}
	g.calls[key] = c
	g.mu.Unlock()

	c.value = f()
	close(c.done)

	g.mu.Lock()
	delete(g.calls, key)
	g.mu.Unlock()
	return c.value
}
