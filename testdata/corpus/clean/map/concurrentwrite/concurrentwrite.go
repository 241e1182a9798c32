// Package concurrentwrite writes its map under a lock.
package concurrentwrite

import "sync"

// A Registry maps names to addresses.
type Registry struct {
	mu    sync.Mutex
	addrs map[string]string
}

// New returns an empty registry.
func New() *Registry { return &Registry{addrs: make(map[string]string)} }

// Register sets an address.
func (r *Registry) Register(name, addr string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.addrs[name] = addr
}

// Len returns the number of names.
func (r *Registry) Len() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.addrs)
}
