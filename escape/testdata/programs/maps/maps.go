// Package main passes pointers through containers, interfaces and calls.
package main

import (
	"fmt"
	"sync"
)

type item struct{ n int }

// own keeps its objects to itself, although they go through containers.
func own() {
	m := map[string]*item{}
	m["a"] = &item{}
	list := []*item{m["a"]}
	list[0].n++ // want unshared
	ch := make(chan *item, 1)
	ch <- list[0]       // want unshared
	(<-ch).n++          // want unshared
	var x any = list[0] // want unshared
	x.(*item).n++       // want unshared
	fmt.Println(list)
	list[0].n++ // want unshared
}

// shared gives one away through a channel and keeps it as well.
func shared() {
	ch := make(chan *item)
	go func() {
		v := <-ch
		v.n++ // want unprotected
	}()
	v := &item{}
	ch <- v
	v.n++ // want unprotected
}

type shape interface{ area() int }

type square struct{ side int }

func (s *square) area() int {
	s.side++ // want unprotected
	return s.side
}

type circle struct{ r int }

func (c *circle) area() int {
	c.r++ // want unshared
	return c.r
}

func interfaces() {
	var s shape = &square{}
	go s.area()
	s.area()
	var c shape = &circle{}
	c.area()
}

func apply(f func()) { f() }

func callbacks() {
	n := 0
	apply(func() { n++ }) // want unshared
	k := 0
	go apply(func() { k++ }) // want unprotected
	apply(func() { k++ })    // want unprotected
}

type node struct {
	next *node
	v    int
}

func (n *node) sum() int {
	if n == nil {
		return 0
	}
	return n.v + n.next.sum() // want unshared
}

func lists() {
	var head *node
	for i := range 3 {
		head = &node{head, i}
	}
	head.sum()
	var once sync.Once
	once.Do(func() { head.v++ }) // want unshared
}

type pool[T any] struct {
	mu   sync.Mutex
	free []T
}

func (p *pool[T]) put(x T) {
	p.mu.Lock()
	p.free = append(p.free, x) // want locked, unshared
	p.mu.Unlock()
}

func generic() {
	p := &pool[*item]{}
	go p.put(&item{})
	p.put(&item{})
}

func main() {
	own()
	shared()
	interfaces()
	callbacks()
	lists()
	generic()
}
