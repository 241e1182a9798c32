// Package main calls methods of its own through interfaces of which the methods are known
// as operations: they do what they do.
package main

import (
	"sync"
	"testing"
)

// spin counts how often it has been locked, which nobody protects.
type spin struct {
	n     int
	inner sync.Mutex
}

func (s *spin) Lock() {
	s.n++ // want unprotected, unshared
	s.inner.Lock()
}

func (s *spin) Unlock() { s.inner.Unlock() }

// own hands its lock out as a sync.Locker only.
type own struct {
	lock sync.Locker
	spin *spin
	data int
}

func locker() {
	s := &spin{}
	o := &own{lock: s, spin: s}
	go o.locked()
	o.locked()
	println(s.n) // want unprotected
}

func (o *own) locked() {
	o.lock.Lock()
	o.data++ // want unprotected
	o.lock.Unlock()
}

type handed struct {
	n int
	sync.Mutex
}

func (h *handed) Unlock() {
	h.n++ // want unprotected
	h.Mutex.Unlock()
}

// deferred releases by a method value, and by a deferred one.
func deferred() {
	h := &handed{}
	f := func(l sync.Locker) {
		l.Lock()
		unlock := l.Unlock
		defer unlock()
	}
	go f(h)
	f(h)
	println(h.n) // want unprotected
}

type waits struct {
	n int
	sync.Mutex
}

func (w *waits) Lock() {
	w.Mutex.Lock()
	w.n++ // want unprotected
}

// condition waits with a lock of its own.
func condition() {
	w := &waits{}
	c := sync.NewCond(w)
	go func() { c.Wait() }()
	go func() { c.Wait() }()
	println(w.n) // want unprotected
}

type counts struct {
	n int
	sync.Mutex
}

func (c *counts) Lock() {
	c.Mutex.Lock()
	c.n++ // want unprotected
}

// lockOf takes the lock of a condition, which is a field.
func lockOf() {
	w := &counts{}
	c := sync.NewCond(w)
	go func() {
		c.L.Lock()
		c.L.Unlock()
	}()
	c.L.Lock()
	println(w.n) // want unprotected
	c.L.Unlock()
}

// fails fails a test of its own kind.
type fails struct {
	testing.TB
	failed bool
}

func (f *fails) Fatalf(string, ...any) {
	f.failed = true // want unprotected
}

func check(t testing.TB, ok bool) {
	if !ok {
		t.Fatalf("not %v", ok)
	}
}

func fatal() {
	f := &fails{}
	go check(f, false)
	check(f, true)
	println(f.failed) // want unprotected
}

// alone has its lock for itself.
func alone() {
	s := &spin{}
	var l sync.Locker = s
	l.Lock()
	l.Unlock()
}

// aliased has its lock as a sync.Locker, too.
type aliased struct {
	guard sync.Mutex
	other sync.Locker
	n     int
}

func (a *aliased) twice() {
	a.guard.Lock()
	a.n++ // want unprotected
	a.other.Unlock()
	a.n++ // want unprotected
}

func (a *aliased) byValue() {
	unlock := a.other.Unlock
	a.guard.Lock()
	a.n++ // want unprotected
	unlock()
	a.n++ // want unprotected
}

func alias() {
	a := &aliased{}
	a.other = &a.guard
	go a.twice()
	a.byValue()
}

// through releases the lock of another object.
type through struct{ of *guarded }

func (t through) Lock()   { t.of.door.Lock() }
func (t through) Unlock() { t.of.door.Unlock() }

type guarded struct {
	door sync.Mutex
	n    int
}

func (g *guarded) add(l sync.Locker) {
	g.door.Lock()
	g.n++ // want unprotected
	l.Unlock()
	g.n++ // want unprotected
}

func indirect() {
	g := &guarded{}
	go g.add(through{g})
	g.add(through{g})
}

// plain is as good as ever behind a sync.Locker that is known.
func plain() {
	var mu sync.Mutex
	n := 0
	go func() {
		mu.Lock()
		n++ // want locked
		mu.Unlock()
	}()
	mu.Lock()
	n++ // want locked
	mu.Unlock()
	var l sync.Locker = &mu
	l.Lock()
	l.Unlock()
}

func main() {
	locker()
	deferred()
	condition()
	lockOf()
	fatal()
	alone()
	alias()
	indirect()
	plain()
}
