// Package lru changes the order of its entries in a lookup, with the lock held for reading only.
//
// Expect: race|fail
package lru

import (
	"slices"
	"sync"
)

// A Cache keeps the most recently used entries.
type Cache struct {
	mu     sync.RWMutex
	size   int
	values map[string]int
	recent []string // most recently used first
}

// New returns a cache of the given size.
func New(size int) *Cache { return &Cache{size: size, values: make(map[string]int)} }

func (c *Cache) use(key string) {
	i := slices.Index(c.recent, key)
	for ; i > 0; i-- {
		c.recent[i] = c.recent[i-1]
	}
	c.recent[0] = key
}

// Get looks a value up.
func (c *Cache) Get(key string) (int, bool) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	value, ok := c.values[key]
	if ok {
		c.use(key)
	}
	return value, ok
}

// Put adds a new entry and drops the least recently used if there are too many.
func (c *Cache) Put(key string, value int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.values[key] = value
	c.recent = slices.Insert(c.recent, 0, key)
	if len(c.recent) > c.size {
		delete(c.values, c.recent[c.size])
		c.recent = c.recent[:c.size]
	}
}
