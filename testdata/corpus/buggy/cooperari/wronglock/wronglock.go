// Package wronglock protects one value with two different locks.
//
// Expect: race|fail
package wronglock

import "sync"

// A Counter has a lock of its own and one for its value.
type Counter struct {
	self, data sync.Mutex
	value      int
}

// Up adds one.
func (c *Counter) Up() {
	c.data.Lock()
	c.value++
	c.data.Unlock()
}

// Down subtracts one.
func (c *Counter) Down() {
	c.self.Lock()
	c.value--
	c.self.Unlock()
}
