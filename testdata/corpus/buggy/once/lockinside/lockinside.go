// Package lockinside calls once.Do with a lock held that the once function takes itself.
//
// Expect: deadlock
package lockinside

import "sync"

// A Cache loads its values at the first use.
type Cache struct {
	mu     sync.Mutex
	once   sync.Once
	values map[string]int
}

func (c *Cache) load() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.values = map[string]int{"a": 1}
}

// Warm loads the values ahead of time.
func (c *Cache) Warm() { c.once.Do(c.load) }

// Get returns a value.
func (c *Cache) Get(key string) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.once.Do(c.load)
	return c.values[key]
}
