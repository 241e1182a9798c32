// Package hitcount counts hits atomically, since readers run in parallel.
package hitcount

import (
	"sync"
	"sync/atomic"
)

// A Cache counts its hits.
type Cache struct {
	mu     sync.RWMutex
	values map[string]int
	hits   atomic.Int64
}

// New returns a cache of the given values.
func New(values map[string]int) *Cache { return &Cache{values: values} }

// Get looks a value up.
func (c *Cache) Get(key string) (value int, ok bool) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	value, ok = c.values[key]
	if ok {
		c.hits.Add(1)
	}
	return value, ok
}

// Hits returns the number of successful lookups.
func (c *Cache) Hits() int { return int(c.hits.Load()) }
