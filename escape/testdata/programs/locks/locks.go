// Package main protects locations by locks.
package main

import (
	"reflect"
	"sync"
)

type counter struct {
	mu sync.Mutex
	n  int
}

func (c *counter) inc() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.n++ // want locked
}

func (c *counter) addLocked(k int) {
	c.n += k // want locked
}

func (c *counter) add(k int) {
	c.mu.Lock()
	c.addLocked(k)
	c.mu.Unlock()
}

func newCounter() *counter {
	c := new(counter)
	c.n = 7
	return c
}

type bad struct {
	mu sync.Mutex
	n  int
}

func (b *bad) inc() {
	b.mu.Lock()
	b.n++ // want unprotected
	b.mu.Unlock()
}

func (b *bad) get() int {
	return b.n // want unprotected
}

// many instances, each with its own lock
func instances() {
	var list []*counter
	for range 3 {
		c := newCounter()
		list = append(list, c)
		go c.inc()
		go c.add(2)
	}
	for _, c := range list {
		c.inc()
	}
}

type cache struct {
	mu    sync.RWMutex
	items map[string]*entry
}

type entry struct{ hits int }

func (c *cache) get(k string) int {
	c.mu.RLock()
	defer c.mu.RUnlock()
	e := c.items[k] // want locked, read-only
	if e == nil {
		return 0
	}
	return e.hits // want locked
}

func (c *cache) put(k string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.items[k] // want locked, read-only
	if e == nil {
		e = &entry{}
		c.items[k] = e // want locked, read-only
	}
	e.hits++ // want locked
}

type badCache struct {
	mu    sync.RWMutex
	items map[string]*badEntry
}

type badEntry struct{ hits int }

func (c *badCache) get(k string) int {
	c.mu.RLock()
	defer c.mu.RUnlock()
	e := c.items[k] // want locked, read-only
	if e == nil {
		return 0
	}
	e.hits++      // want unprotected
	return e.hits // want unprotected
}

func (c *badCache) put(k string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.items[k] = &badEntry{} // want locked, read-only
}

var registry struct {
	sync.Mutex
	names []string
}

func register(name string) {
	registry.Lock()
	defer registry.Unlock()
	registry.names = append(registry.names, name) // want locked, unshared
}

// two instances of the same lock field: the wrong one protects nothing
type pair struct {
	mu sync.Mutex
	n  int
}

func wrong(a, b *pair) {
	a.mu.Lock()
	b.n++ // want unprotected
	a.mu.Unlock()
}

func main() {
	instances()
	b := &bad{}
	go b.inc()
	b.get()
	c := &cache{items: map[string]*entry{}}
	go c.put("a")
	c.get("a")
	d := &badCache{items: map[string]*badEntry{}}
	go d.put("a")
	go d.get("a")
	d.get("a")
	go register("a")
	register("b")
	p, q := &pair{}, &pair{}
	go wrong(p, q)
	wrong(q, q)
	try()
	inBox()
	middle()
}

// tried is protected by a lock of which another goroutine sees whether it is held.
type tried struct {
	mu   sync.Mutex
	n    int
	mine int
}

func (t *tried) inc() {
	t.mu.Lock()
	t.n++    // want unprotected
	t.mine++ // want unprotected
	t.mu.Unlock()
}

func (t *tried) try() bool {
	if !t.mu.TryLock() {
		return false
	}
	t.n++ // want unprotected
	t.mu.Unlock()
	return true
}

func try() {
	t := &tried{}
	go t.inc()
	t.try()
}

// middle forgets the lock once, between accesses that hold it.
func middle() {
	var mu sync.Mutex
	m := map[int]int{}
	go func() {
		mu.Lock()
		m[1]++ // want read-only, unprotected
		mu.Unlock()
		m[2]++ // want read-only, unprotected
		mu.Lock()
		m[3]++ // want read-only, unprotected
		mu.Unlock()
	}()
	mu.Lock()
	m[4]++ // want read-only, unprotected
	mu.Unlock()
}

// box has a lock that code which is not analysed can reach.
type box struct{ mu sync.Mutex }

type boxed struct {
	b *box
	n int
}

func (x *boxed) inc() {
	reflect.ValueOf(x.b)
	x.b.mu.Lock()
	x.n++ // want unprotected
	x.b.mu.Unlock()
}

func (x *boxed) try() {
	if x.b.mu.TryLock() {
		x.b.mu.Unlock()
	}
}

func inBox() {
	x := &boxed{b: &box{}}
	x.inc()
	x.try()
}
