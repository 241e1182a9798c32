// Package lru is a cache that forgets what has not been used for longest, under one lock.
package lru

import "sync"

type entry[K comparable, V any] struct {
	key        K
	value      V
	prev, next *entry[K, V]
}

// Cache holds a limited number of entries.
type Cache[K comparable, V any] struct {
	size int

	mu           sync.Mutex
	entries      map[K]*entry[K, V]
	head         entry[K, V] // of a ring; next is the most recent
	hits, misses int
}

// New returns a cache of up to size entries.
func New[K comparable, V any](size int) *Cache[K, V] {
	c := &Cache[K, V]{size: size, entries: make(map[K]*entry[K, V])}
	c.head.prev, c.head.next = &c.head, &c.head
	return c
}

// Get returns the value of key.
func (c *Cache[K, V]) Get(key K) (v V, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.entries[key]
	if e == nil {
		c.misses++
		return v, false
	}
	c.hits++
	e.unlink()
	c.push(e)
	return e.value, true
}

// Put sets the value of key.
func (c *Cache[K, V]) Put(key K, value V) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e := c.entries[key]; e != nil {
		e.value = value
		e.unlink()
		c.push(e)
		return
	}
	if len(c.entries) == c.size {
		oldest := c.head.prev
		oldest.unlink()
		delete(c.entries, oldest.key)
	}
	e := &entry[K, V]{key: key, value: value}
	c.entries[key] = e
	c.push(e)
}

func (c *Cache[K, V]) push(e *entry[K, V]) {
	e.prev, e.next = &c.head, c.head.next
	e.prev.next, e.next.prev = e, e
}

func (e *entry[K, V]) unlink() { e.prev.next, e.next.prev = e.next, e.prev }

// Len returns the number of entries.
func (c *Cache[K, V]) Len() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.entries)
}

// Stats returns how often Get has found its key, and how often not.
func (c *Cache[K, V]) Stats() (hits, misses int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.hits, c.misses
}
