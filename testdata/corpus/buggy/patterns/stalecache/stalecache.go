// Package stalecache stores a value that it loaded before an update and after the update's invalidation.
//
// Expect: fail
package stalecache

import "sync"

type store struct {
	mu    sync.Mutex
	value int
}

func (s *store) get() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.value
}

func (s *store) set(value int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.value = value
}

// A Cache keeps the value of a store.
type Cache struct {
	store  store
	mu     sync.Mutex
	cached bool
	value  int
}

// Get returns the value.
func (c *Cache) Get() int {
	c.mu.Lock()
	cached, value := c.cached, c.value
	c.mu.Unlock()
	if cached {
		return value
	}
	value = c.store.get()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.cached, c.value = true, value
	return value
}

// Set changes the value.
func (c *Cache) Set(value int) {
	c.store.set(value)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.cached = false
}
