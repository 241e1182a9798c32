// Package hitcount counts hits while it holds the lock for reading only.
//
// Expect: race|fail
package hitcount

import "sync"

// A Cache counts its hits.
type Cache struct {
	mu     sync.RWMutex
	values map[string]int
	hits   int
}

// New returns a cache of the given values.
func New(values map[string]int) *Cache { return &Cache{values: values} }

// Get looks a value up.
func (c *Cache) Get(key string) (value int, ok bool) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	value, ok = c.values[key]
	if ok {
		c.hits++
	}
	return value, ok
}

// Hits returns the number of successful lookups.
func (c *Cache) Hits() int {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.hits
}
