// Package main writes over locks and the like, which are new ones then.
package main

import "sync"

type resource struct {
	once sync.Once
	n    int
}

func (r *resource) get() int {
	r.once.Do(func() {
		r.n++ // want unprotected, unshared
	})
	return r.n // want unprotected, unshared
}

// again lets what has been done once be done again.
func again() {
	r := &resource{}
	go func() {
		r.get()
		r.once = sync.Once{}
		r.get()
	}()
	r.get()
}

type counter struct {
	mu sync.Mutex
	n  int
}

func (c *counter) add() {
	c.mu.Lock()
	c.n++ // want unprotected
	c.mu.Unlock()
}

// reset writes over the lock that it holds.
func (c *counter) reset() {
	c.mu.Lock()
	*c = counter{}
	c.n++ // want unprotected
}

func resetting() {
	c := &counter{}
	go c.add()
	go c.reset()
}

type result struct{ n int }

// forgotten waits for nobody.
func forgotten() {
	var wg sync.WaitGroup
	r := &result{}
	wg.Add(1)
	go func() {
		r.n++ // want read-only, unprotected
		wg.Done()
	}()
	wg = sync.WaitGroup{}
	wg.Wait()
	r.n++ // want read-only, unprotected
}

type table struct {
	mu sync.RWMutex
	n  int
}

func newTable() table { return table{n: 1} }

func (t *table) add() {
	t.mu.Lock()
	t.n++ // want locked
	t.mu.Unlock()
}

var common = newTable()

// fresh are new before anybody knows them.
func fresh() {
	for range 2 {
		t := new(table)
		*t = newTable()
		go t.add()
		t.add()
		go common.add()
	}
}

func main() {
	again()
	resetting()
	forgotten()
	fresh()
}
