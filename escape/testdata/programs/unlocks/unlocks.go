// Package main releases locks in ways that are not seen where they are held.
package main

import (
	"sync"
	"time"
)

type finisher interface{ finish() }

type releaser interface{ release() }

type counter struct {
	mu sync.Mutex
	n  int
}

func (c *counter) finish() { c.mu.Unlock() }

func (c *counter) addTwice(f finisher) {
	c.mu.Lock()
	c.n++ // want unprotected
	f.finish()
	c.n++ // want unprotected
}

// gauge's other methods release a lock as well, but none that is called by the name.
type gauge struct {
	gate sync.Mutex
	n    int
}

func (g *gauge) finish() { g.n++ } // want locked

func (g *gauge) release() { g.gate.Unlock() }

func (g *gauge) addTwice(f finisher, r releaser) {
	g.gate.Lock()
	g.n++ // want locked
	f.finish()
	g.n++ // want locked
	r.release()
}

func call(f func()) { f() }

type handed struct {
	lock sync.Mutex
	n    int
}

func (h *handed) add() {
	h.lock.Lock()
	call(h.lock.Unlock)
	h.n++ // want unprotected
}

// left is a lock that a goroutine releases.
type left struct {
	latch sync.Mutex
	n     int
}

func (l *left) add() {
	l.latch.Lock()
	go call(l.latch.Unlock)
	l.n++ // want unprotected
}

type timed struct {
	catch sync.Mutex
	n     int
}

func (t *timed) add() {
	t.catch.Lock()
	time.AfterFunc(0, t.catch.Unlock)
	t.n++ // want unprotected
}

type kept struct {
	guard sync.Mutex
	n     int
}

func (k *kept) add() {
	k.guard.Lock()
	call(func() { k.n++ }) // want locked, unshared
	k.n++                  // want locked, unshared
	k.guard.Unlock()
}

// down and up call one another, and one of them releases the lock.
type stairs struct {
	step sync.Mutex
	n    int
}

func (s *stairs) down(k int) {
	if k > 0 {
		s.up(k - 1)
		return
	}
	s.step.Unlock()
}

func (s *stairs) up(k int) { s.down(k) }

func (s *stairs) add() {
	s.step.Lock()
	s.up(1)
	s.n++ // want unprotected
}

func (s *stairs) addDown() {
	s.step.Lock()
	s.down(1)
}

// ring's functions call one another, too, and keep the lock.
type ring struct {
	joint sync.Mutex
	n     int
}

func (r *ring) left(k int) {
	if k > 0 {
		r.right(k - 1)
	}
}

func (r *ring) right(k int) { r.left(k) }

func (r *ring) add() {
	r.joint.Lock()
	r.right(1)
	r.n++ // want locked
	r.left(1)
	r.n++ // want locked
	r.joint.Unlock()
}

// pause releases the lock of its callers for a while.
type pauser struct {
	gap                sync.Mutex
	before, in, behind int
	deep, deferred     int
}

func (p *pauser) pause() {
	p.before++ // want locked
	p.gap.Unlock()
	p.in++ // want unprotected
	p.use()
	p.gap.Lock()
	p.behind++ // want locked
}

func (p *pauser) use() { p.deep++ } // want unprotected

func (p *pauser) finish() {
	defer func() { p.deferred++ }() // want unprotected, unshared
	defer p.gap.Unlock()
}

func (p *pauser) add() {
	p.gap.Lock()
	p.pause()
	p.gap.Unlock()
	p.gap.Lock()
	p.finish()
}

var (
	door            sync.Mutex
	outside, inside int
)

func enter() {
	door.Lock()
	open()
	sit()
	door.Unlock()
}

func open() {
	door.Unlock()
	outside++ // want unprotected
	door.Lock()
}

func sit() { inside++ } // want locked

func main() {
	c, g, h, k, s, r, p, l, t := &counter{}, &gauge{}, &handed{}, &kept{}, &stairs{}, &ring{}, &pauser{}, &left{}, &timed{}
	for range 2 {
		go func() {
			c.addTwice(c)
			g.addTwice(g, g)
			h.add()
			k.add()
			s.addDown()
			s.add()
			r.add()
			p.add()
			l.add()
			t.add()
			enter()
		}()
	}
}
