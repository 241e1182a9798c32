// Package concurrentwrite writes a plain map from several goroutines.
//
// Expect: race|fatal
package concurrentwrite

// A Registry maps names to addresses.
type Registry struct{ addrs map[string]string }

// New returns an empty registry.
func New() *Registry { return &Registry{addrs: make(map[string]string)} }

// Register sets an address.
func (r *Registry) Register(name, addr string) { r.addrs[name] = addr }

// Len returns the number of names.
func (r *Registry) Len() int { return len(r.addrs) }
