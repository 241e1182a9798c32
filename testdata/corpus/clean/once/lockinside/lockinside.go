// Package lockinside calls once.Do before it takes the lock.
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
	c.once.Do(c.load)
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.values[key]
}
