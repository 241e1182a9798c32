// Package main gives unknown code locks by themselves, which it may release.
package main

import (
	"runtime/pprof"
	"sync"
	"unsafe"
)

// unlock stands for a function that is not analysed.
func unlock(mu *sync.Mutex) { println(unsafe.Pointer(mu)) }

type box struct {
	mu sync.Mutex
	n  int
}

func (b *box) add() {
	b.mu.Lock()
	unlock(&b.mu)
	b.n++ // want unprotected
	b.mu.Unlock()
}

func given() {
	b := &box{}
	go b.add()
	b.add()
}

type kept struct {
	mu sync.Mutex
	n  int
}

func (k *kept) add() {
	k.mu.Lock()
	k.n++ // want unprotected
	k.mu.Unlock()
}

// known gives the lock away before.
func known() {
	k := &kept{}
	pprof.NewProfile("lock").Add(&k.mu, 0)
	go k.add()
	k.add()
}

// pair has its lock beside one of two locations.
type pair struct {
	mu sync.Mutex
	n  int
}

func (p *pair) add() {
	p.mu.Lock()
	p.n++ // want unprotected
	p.mu.Unlock()
}

type pairs struct{ left, right *pair }

func (p *pairs) first() *pair  { return p.left }
func (p *pairs) second() *pair { return p.right }

// both says which it likes better.
func (p *pairs) both(better bool) *int {
	p.first().add()
	p.second().add()
	if better {
		return &p.left.n
	}
	return &p.right.n
}

// either gives away the lock of one of two objects.
func either() {
	p := &pairs{&pair{}, &pair{}}
	go p.both(true)
	p.both(false)
	unlock(&p.right.mu)
}

// tried is what either would be if it asked for the lock.
type tried struct {
	mu sync.Mutex
	n  int
}

func (t *tried) add() {
	t.mu.Lock()
	t.n++ // want unprotected
	t.mu.Unlock()
}

type couple struct{ left, right *tried }

func (c *couple) first() *tried  { return c.left }
func (c *couple) second() *tried { return c.right }

func (c *couple) both(better bool) *int {
	c.first().add()
	c.second().add()
	if better {
		return &c.left.n
	}
	return &c.right.n
}

func trying() {
	c := &couple{&tried{}, &tried{}}
	go c.both(true)
	c.both(false)
	if c.right.mu.TryLock() {
		c.right.mu.Unlock()
	}
}

// safe keeps its lock for itself.
type safe struct {
	mu sync.Mutex
	n  int
}

func (s *safe) add() {
	s.mu.Lock()
	s.n++ // want locked
	s.mu.Unlock()
}

func keeping() {
	s := &safe{}
	go s.add()
	s.add()
}

func main() {
	given()
	known()
	either()
	trying()
	keeping()
}
