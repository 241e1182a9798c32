// Package main is analysed without telling calls apart.
package main

import (
	"sync"
	"sync/atomic"
)

type counter struct {
	mu    sync.Mutex
	n     int
	other int
	seen  atomic.Int64
	next  *counter
}

// inc is called for several counters, by several goroutines.
func (c *counter) inc() {
	c.mu.Lock()
	c.n++ // want locked
	c.mu.Unlock()
	c.other++ // want unprotected
	c.seen.Add(1)
}

// alone is called for a counter that nobody else has, and is the same as those that
// others have.
func alone() int {
	c := &counter{}
	c.inc()
	return c.other // want unprotected
}

type list struct{ first, last int }

// push is called by the main goroutine only.
func (l *list) push(n int) {
	l.last = n // want unshared
}

func lists() int {
	l, m := &list{}, &list{}
	l.push(1)
	m.push(2)
	return l.last + m.last // want unshared
}

// each calls a function of which nothing is known here.
func each(f func(*list)) {
	f(&list{})
}

type visitor interface{ visit(*list) }

type adder struct{ sum int }

func (a *adder) visit(l *list) {
	a.sum += l.first // want read-only, unprotected
}

func walk(v visitor) {
	v.visit(&list{})
}

// called has functions called by others, at an unknown time as far as is known.
func called() int {
	n := 0
	each(func(l *list) {
		n++ // want unprotected
	})
	a := &adder{}
	walk(a)
	return n + a.sum // want unprotected
}

// private memory that no call leads to is known exactly.
func private() int {
	n := 0
	for range 3 {
		func() { n++ }() // want unshared
	}
	l := list{}
	p := &l
	p.last = 2
	return n + p.last // want unshared
}

var table = map[int]int{}

func fill() {
	table[1] = 2 // want read-only, unprotected
}

func lookup(n int) int {
	return table[n] // want read-only, unprotected
}

func main() {
	c := &counter{next: &counter{}}
	var wg sync.WaitGroup
	fill()
	for range 2 {
		wg.Go(func() {
			c.inc()
			c.next.inc()
			lookup(1)
		})
	}
	c.inc()
	wg.Wait()
	alone()
	lists()
	called()
	private()
}
