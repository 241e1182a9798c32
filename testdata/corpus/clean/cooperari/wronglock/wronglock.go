// Package wronglock protects the value with the same lock everywhere.
package wronglock

import "sync"

// A Counter has a lock for its value.
type Counter struct {
	data  sync.Mutex
	value int
}

// Up adds one.
func (c *Counter) Up() {
	c.data.Lock()
	c.value++
	c.data.Unlock()
}

// Down subtracts one.
func (c *Counter) Down() {
	c.data.Lock()
	c.value--
	c.data.Unlock()
}
