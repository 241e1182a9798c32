// Package handover has a map built by a goroutine, and reads it without waiting for it.
//
// Expect: race|fail
package handover

// A Catalog knows the numbers of names.
type Catalog struct {
	index map[string]int
	ready chan struct{}
}

// Open returns the catalog of the names, which is still being built.
func Open(names ...string) *Catalog {
	c := &Catalog{ready: make(chan struct{})}
	go c.build(names)
	return c
}

func (c *Catalog) build(names []string) {
	index := make(map[string]int)
	for i, name := range names {
		index[name] = i + 1
	}
	c.index = index
	close(c.ready)
}

// Find returns the number of a name.
func (c *Catalog) Find(name string) int {
	return c.index[name]
}
