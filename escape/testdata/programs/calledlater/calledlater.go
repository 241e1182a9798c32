// Package main calls functions that are known only to the callers, when goroutines may run
// that have been started where the callers do not see it.
package main

import (
	"bytes"
	"fmt"
	"io"
	"sort"
	"sync"
)

type box struct{ n int }

func (b *box) add() { b.n++ } // want unprotected

func starts(b *box, f func()) {
	go b.add()
	f()
}

func after() {
	b := &box{}
	starts(b, func() { println(b.n) }) // want unprotected, unshared
}

type reader interface{ read() int }

type cell struct{ n int }

func (c *cell) add() { c.n++ } // want unprotected

func (c *cell) read() int { return c.n } // want unprotected

func startsFor(c *cell, r reader) {
	go c.add()
	r.read()
}

func method() {
	c := &cell{}
	startsFor(c, c)
}

type slot struct{ n int }

func (s *slot) add() { s.n++ } // want ordered

func startsAfter(s *slot, f func()) {
	f()
	go s.add()
}

func before() {
	s := &slot{}
	startsAfter(s, func() { println(s.n) }) // want ordered, unshared
}

type pair struct{ n int }

func (p *pair) add() { p.n++ } // want unprotected

func both(f, g func()) {
	f()
	g()
}

func other() {
	p := &pair{}
	both(func() { go p.add() }, func() { println(p.n) }) // want unprotected, unshared
}

type joined struct{ n int }

func (j *joined) add() { j.n++ } // want unprotected

func startsAndWaits(j *joined, between, behind func()) {
	var wg sync.WaitGroup
	wg.Go(j.add)
	between()
	wg.Wait()
	behind()
}

func amid() {
	j := &joined{}
	startsAndWaits(j, func() { println(j.n) }, func() {}) // want unprotected, unshared
}

type settled struct{ n int }

func (s *settled) add() { s.n++ } // want ordered

func startsAndSettles(s *settled, behind func()) {
	var wg sync.WaitGroup
	wg.Go(s.add)
	wg.Wait()
	behind()
}

func done() {
	s := &settled{}
	startsAndSettles(s, func() { println(s.n) }) // want ordered, unshared
}

type late struct{ n int }

func (l *late) add() { l.n++ } // want unprotected

func startsDeferring(l *late, f func()) {
	defer f()
	go l.add()
}

func deferred() {
	l := &late{}
	startsDeferring(l, func() { println(l.n) }) // want unprotected, unshared
}

type wrapped struct{ n int }

func (w *wrapped) add() { w.n++ } // want unprotected

func startsWithin(w *wrapped, f func()) { startsWrapped(w, f) }

func startsWrapped(w *wrapped, f func()) {
	go w.add()
	f()
}

func within() {
	w := &wrapped{}
	startsWithin(w, func() { println(w.n) }) // want unprotected, unshared
}

type named struct{ n int }

func (n *named) add() { n.n++ } // want unprotected

func (n *named) String() string {
	if n.n > 0 { // want unprotected
		return "some"
	}
	return "none"
}

func startsPrinting(n *named, s fmt.Stringer) {
	go n.add()
	fmt.Println(s)
}

func printed() {
	n := &named{}
	startsPrinting(n, n)
}

type order struct{ n int }

func (o *order) add() { o.n++ } // want unprotected

// sorted is called back again, when a goroutine runs that it has started.
func sorted(s []int) {
	o := &order{}
	sort.Slice(s, func(i, j int) bool {
		if o.n > 0 { // want unprotected, unshared
			return s[i] < s[j]
		}
		go o.add()
		return s[j] < s[i]
	})
}

type bytesOf struct{ all []byte }

func (b *bytesOf) add() { b.all[0]++ } // want read-only, unprotected

func startsWriting(b *bytesOf, w io.Writer) {
	go b.add()
	w.Write(b.all)
}

func written() {
	b := &bytesOf{make([]byte, 1)}
	startsWriting(b, new(bytes.Buffer))
}

type half struct{ n int }

func (h *half) add() { h.n++ } // want unprotected

// halves has the object from its caller.
func halves(h *half) {
	both(func() { go h.add() }, func() { println(h.n) }) // want unprotected, unshared
}

type twice struct{ n int }

func (t *twice) add() { t.n++ } // want unprotected

func call(f func()) { f() }

func startsBetween(t *twice, f func()) {
	call(f)
	go t.add()
	call(f)
}

func again() {
	t := &twice{}
	startsBetween(t, func() { println(t.n) }) // want unprotected, unshared
}

type third struct{ n int }

func (t *third) add() { t.n++ } // want unprotected

func startsFirst(t *third, g func()) {
	both(func() { go t.add() }, g)
}

func given() {
	t := &third{}
	startsFirst(t, func() { println(t.n) }) // want unprotected, unshared
}

type user interface{ use() }

type parcel struct{ n int }

func (p *parcel) use() { p.n++ } // want unprotected

func hands(ch chan *parcel, p *parcel, u user) {
	ch <- p
	u.use()
}

func handed() {
	ch := make(chan *parcel)
	go func() {
		for p := range ch {
			p.n++ // want unprotected
		}
	}()
	for range 2 {
		p := &parcel{}
		hands(ch, p, p)
	}
}

type letter struct{ n int }

func (l *letter) use() { l.n++ } // want ordered

func handsAfter(ch chan *letter, l *letter, u user) {
	u.use()
	ch <- l
}

func handedAfter() {
	ch := make(chan *letter)
	go func() {
		for l := range ch {
			l.n++ // want ordered
		}
	}()
	for range 2 {
		l := &letter{}
		handsAfter(ch, l, l)
	}
}

type note struct{ n int }

func (n *note) use() { n.n++ } // want unprotected

func callUser(u user) { u.use() }

func handsBetween(ch chan *note, n *note, u user) {
	callUser(u)
	ch <- n
	callUser(u)
}

func handedWithin(ch chan *note, n *note, u user) { handsBetween(ch, n, u) }

func handedBetween() {
	ch := make(chan *note)
	go func() { (<-ch).n++ }() // want read-only, unprotected
	n := &note{}
	handedWithin(ch, n, n)
}

func main() {
	handed()
	handedAfter()
	handedBetween()
	given()
	written()
	halves(&half{})
	again()
	after()
	method()
	before()
	other()
	amid()
	done()
	deferred()
	within()
	printed()
	sorted([]int{1, 2, 3})
}
