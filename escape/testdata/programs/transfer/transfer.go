// Package main hands objects from goroutine to goroutine over channels.
package main

import (
	"runtime"
	"sort"
	"testing"
	"time"
)

type page struct {
	n     int
	words []string
	next  *page
}

// handed is given away by who makes it, and never touched again.
func handed() {
	c := make(chan *page)
	go func() {
		p := &page{n: 1}
		fill(p)
		c <- p
	}()
	p := <-c
	p.n++ // want ordered
}

func fill(p *page) {
	p.n = 2 // want ordered
}

// touched is used after it has been sent.
func touched() {
	c := make(chan *page)
	go func() {
		p := &page{}
		c <- p
		p.n = 1 // want unprotected
	}()
	p := <-c
	p.n++ // want unprotected
}

// stages pass on what they receive.
func stages() {
	a, b := make(chan *page), make(chan *page, 1)
	go func() {
		for i := range 3 {
			p := &page{}
			p.n = i
			p.words = append(p.words, "a")
			a <- p
		}
		close(a)
	}()
	go func() {
		for p := range a {
			p.n++                 // want ordered
			p.words[0] += "b"     // want ordered
			p.words = p.words[1:] // want ordered
			b <- p
		}
		close(b)
	}()
	for p := range b {
		p.n++         // want ordered
		p.words = nil // want ordered
	}
}

// broadcast sends one object to two receivers.
func broadcast() {
	a, b := make(chan *page), make(chan *page)
	go func() {
		p := <-a
		p.n++ // want unprotected
	}()
	go func() {
		p := <-b
		p.n++ // want unprotected
	}()
	p := &page{}
	a <- p
	b <- p
}

// again sends one object to two receivers in a loop.
func again() {
	c := make(chan *page)
	for range 2 {
		go func() {
			p := <-c
			p.n++ // want unprotected
		}()
	}
	p := &page{}
	for range 2 {
		c <- p
	}
}

// anew makes another one for each.
func anew() {
	c := make(chan *page)
	for range 2 {
		go func() {
			p := <-c
			p.n++ // want ordered
		}()
	}
	for i := range 2 {
		p := &page{}
		p.n = i
		c <- p
	}
}

// recycled comes back through a free list.
func recycled() {
	free, full := make(chan []byte, 2), make(chan []byte, 2)
	free <- make([]byte, 8)
	free <- make([]byte, 8)
	go func() {
		for i := range 4 {
			b := <-free
			b[0] = byte(i) // want ordered
			full <- b
		}
		close(full)
	}()
	for b := range full {
		b[1] = b[0] // want ordered
		free <- b
	}
}

// recycledEarly is recycled before it has been read.
func recycledEarly() {
	free, full := make(chan []byte, 2), make(chan []byte, 2)
	free <- make([]byte, 8)
	go func() {
		for i := range 4 {
			b := <-free
			b[0] = byte(i) // want unprotected
			full <- b
		}
		close(full)
	}()
	for b := range full {
		free <- b
		_ = b[0] // want unprotected
	}
}

// kept keeps what it sends in a slice.
func kept() int {
	c := make(chan *page)
	go func() {
		for p := range c {
			p.n++ // want unprotected
		}
	}()
	var all []*page
	for range 3 {
		p := &page{}
		all = append(all, p) // want unshared
		c <- p
	}
	return all[0].n // want unprotected, unshared
}

// fromSlice sends what is in a slice, which it goes on using.
func fromSlice() {
	c := make(chan *page)
	go func() {
		for p := range c {
			p.n++ // want unprotected
		}
	}()
	all := []*page{{}, {}}
	for _, p := range all {
		c <- p
	}
	for _, p := range all {
		_ = p.n // want unprotected
	}
}

// shared puts one slice into all that it sends.
func shared() {
	c := make(chan *page)
	for range 2 {
		go func() {
			for p := range c {
				p.n++            // want ordered
				p.words[0] = "x" // want ordered, unprotected
			}
		}()
	}
	words := make([]string, 1)
	for range 3 {
		c <- &page{words: words}
	}
}

// linked lets each object lead to the one before.
func linked() {
	c := make(chan *page)
	go func() {
		for p := range c {
			p.n++              // want unprotected
			if p.next != nil { // want ordered
				p.next.n++ // want ordered, unprotected
			}
		}
	}()
	go func() {
		for p := range c {
			p.n++ // want unprotected
		}
	}()
	var last *page
	for range 3 {
		p := &page{next: last}
		c <- p
		last = p
	}
}

// dropped is used if it could not be sent: that it has not been sent then is not known.
func dropped() {
	c := make(chan *page, 1)
	go func() {
		p := <-c
		p.n++ // want unprotected
	}()
	p := &page{}
	select {
	case c <- p:
	default:
		p.n++ // want unprotected
	}
}

// offered is given up if it could not be sent.
func offered() {
	c := make(chan *page, 1)
	done := make(chan bool)
	go func() {
		select {
		case p := <-c:
			p.n++ // want ordered
		case <-done:
		}
	}()
	p := &page{}
	fill2(p)
	select {
	case c <- p:
	case done <- true:
	}
}

func fill2(p *page) {
	p.n = 2 // want ordered
}

// captured is sent by one goroutine while another has it in a variable.
func captured() {
	c := make(chan *page)
	p := &page{}
	go func() {
		c <- p // want read-only, unshared
	}()
	q := <-c
	q.n++ // want unshared
}

func capturedByTwo() {
	c := make(chan *page)
	p := &page{}
	go func() {
		c <- p // want read-only
	}()
	go func() {
		q := <-c
		q.n++ // want unprotected
	}()
	p.n++ // want read-only, unprotected
}

// a job is sent as a value that leads to objects.
type job struct {
	p    *page
	done chan int
}

func jobs() {
	c := make(chan job)
	go func() {
		for j := range c {
			j.p.n++         // want ordered
			j.done <- j.p.n // want ordered
		}
	}()
	for range 2 {
		j := job{&page{}, make(chan int)}
		j.p.words = nil // want unshared
		fill3(j.p)
		c <- j
		<-j.done
	}
}

func fill3(p *page) {
	p.n = 3 // want ordered
}

func jobsUsed() {
	c := make(chan job)
	go func() {
		for j := range c {
			j.p.n++ // want unprotected
			j.done <- 1
		}
	}()
	j := job{&page{}, make(chan int)}
	c <- j
	j.p.n++ // want unprotected
	<-j.done
}

// An outbox sends in a method; whether the object is used later is up to the caller.
type outbox struct{ c chan *page }

func (o *outbox) put(p *page) { o.c <- p }

func (o *outbox) get() *page { return <-o.c }

func throughMethods() {
	o := &outbox{make(chan *page)}
	go func() {
		p := &page{}
		set(p)
		o.put(p)
	}()
	p := o.get()
	p.n++ // want ordered
}

func set(p *page) {
	p.n = 1 // want ordered
}

func throughMethodsUsed() {
	o := &outbox{make(chan *page)}
	go func() {
		p := &page{}
		o.put(p)
		p.n++ // want unprotected
	}()
	p := o.get()
	p.n++ // want unprotected
}

// twoNames gives a function one object under two names.
func twoNames() {
	c := make(chan *page)
	go func() {
		p := <-c
		p.n++ // want unprotected
	}()
	p := &page{}
	sendFirst(c, p, p)
}

func sendFirst(c chan *page, p, q *page) {
	c <- p
	q.n++ // want unprotected
}

// callbacks may keep what they are given.
func callbacks() {
	var last *page
	through(func(p *page) {
		if last != nil {
			last.n++ // want unprotected, unshared
		}
		last = p
	})
	through2(func(p *page) {
		p.n++ // want ordered
	})
}

func through(work func(*page)) {
	a, b := make(chan *page), make(chan *page)
	go func() {
		for p := range a {
			work(p)
			b <- p
		}
	}()
	for range 2 {
		a <- &page{}
		p := <-b
		p.n++ // want unprotected
	}
}

func through2(work func(*page)) {
	a, b := make(chan *page), make(chan *page)
	go func() {
		for p := range a {
			work(p)
			b <- p
		}
	}()
	for range 2 {
		a <- &page{}
		p := <-b
		p.n++ // want ordered
	}
}

// deferred uses what it has sent when it ends.
func deferred() {
	c := make(chan *page)
	go func() {
		p := &page{}
		defer fillLate(p)
		c <- p
	}()
	p := <-c
	p.n++ // want unprotected
}

func fillLate(p *page) {
	p.n = 2 // want unprotected
}

// stored puts what it receives where others look, too.
type store struct{ cur *page }

func stored() {
	c := make(chan *page)
	s := &store{}
	go func() {
		s.cur = <-c // want read-only, unprotected
		s.cur.n++   // want read-only, unprotected
	}()
	c <- &page{}
	if s.cur != nil { // want read-only, unprotected
		s.cur.n++ // want read-only, unprotected
	}
}

// forked gives one part of an object away and keeps the other.
func forked() {
	c := make(chan *int)
	go func() {
		*<-c = 1 // want read-only, unshared
	}()
	p := &struct{ a, b int }{}
	c <- &p.a
	p.b++ // want unshared
}

func forkedBad() {
	c := make(chan *int)
	go func() {
		*<-c = 1 // want read-only, unprotected
	}()
	p := &struct{ a, b int }{}
	c <- &p.a
	p.a++ // want unprotected
}

// recursive sends what its callers hold.
func recursive() {
	c := make(chan *page)
	go func() {
		for p := range c {
			p.n++ // want unshared
		}
	}()
	descend(c, &page{next: &page{}})
}

func descend(c chan *page, p *page) {
	if p == nil {
		return
	}
	c <- p
	descend(c, p.next) // want unshared
}

// climb is descend the other way: what a call has sent, the caller does not use.
func climb(c chan *page, n int) *page {
	if n == 0 {
		return &page{}
	}
	p := climb(c, n-1)
	set2(p)
	c <- p
	return &page{}
}

func set2(p *page) {
	p.n = 2 // want ordered
}

// climbBad uses after its inner call what that may have sent.
func climbBad(c chan *page, p *page, n int) {
	if n > 0 {
		climbBad(c, p, n-1)
		p.n++ // want unprotected
		return
	}
	c <- p
}

func recursions() {
	c := make(chan *page)
	go func() {
		for p := range c {
			p.n++ // want ordered
		}
	}()
	climb(c, 3)
	d := make(chan *page)
	go func() {
		for p := range d {
			p.n++ // want unprotected
		}
	}()
	climbBad(d, &page{}, 3)
}

// timers can start their function again.
func timers() {
	c := make(chan bool)
	p := &page{}
	t := time.AfterFunc(1, func() {
		p.n++ // want read-only, unprotected
		c <- true
	})
	t.Reset(1)
	<-c
}

// timer is not started again.
func timer() {
	c := make(chan bool)
	p := &page{}
	t := time.AfterFunc(1, func() {
		p.n++ // want unshared
	})
	select {
	case <-c:
	case <-time.After(1):
		t.Stop()
	}
}

// finalizers may run at any time.
func finalizers() {
	p := &page{}
	for range 2 {
		runtime.SetFinalizer(&page{}, func(*page) {
			p.n++ // want unprotected
		})
	}
}

// cleanups run when the test has ended, long after the object has been sent.
func cleanups(t *testing.T) {
	c := make(chan *page)
	go func() {
		p := <-c
		p.n++ // want unprotected
	}()
	p := &page{}
	cleanLater(t, p)
	c <- p
}

func cleanLater(t *testing.T, p *page) {
	t.Cleanup(func() {
		p.n++ // want unprotected, unshared
	})
}

// sorted calls a function that sends, again and again.
func sorted(list []int) {
	c := make(chan *page)
	go func() {
		for p := range c {
			p.n++ // want unprotected
		}
	}()
	p := &page{}
	sort.Slice(list, func(i, j int) bool {
		c <- p
		return list[i] < list[j] // want unshared
	})
}

// sentLate is sent when its function has ended, which may be before the other use.
func sentLate() {
	c := make(chan *page)
	go func() {
		p := <-c
		p.n++ // want unprotected
	}()
	p := &page{}
	defer p.touch()
	defer func() { c <- p }()
}

func (p *page) touch() {
	p.n++ // want unprotected
}

// sentByCallee is sent by a function that another one calls when it ends.
func sentByCallee() {
	c := make(chan *page)
	go func() {
		p := <-c
		p.n++ // want unprotected
	}()
	p := &page{}
	putLate(c, p)
	p.n++ // want unprotected
}

func putLate(c chan *page, p *page) {
	defer func() { c <- p }()
}

// returned is sent by a function that returns it, too.
func returned() {
	c := make(chan *page)
	go func() {
		p := <-c
		p.n++ // want unprotected
	}()
	p := putAndReturn(c)
	p.n++ // want unprotected
}

func putAndReturn(c chan *page) *page {
	p := &page{}
	c <- p
	return p
}

// unknownSender calls a function value that sends.
func unknownSender() {
	c := make(chan *page)
	go func() {
		p := <-c
		p.n++ // want unprotected
	}()
	callThenUse(func(p *page) { c <- p })
	callAndDrop(func(p *page) { c <- p })
}

func callThenUse(f func(*page)) {
	p := &page{}
	f(p)
	p.n++ // want unprotected
}

func callAndDrop(f func(*page)) {
	p := &page{}
	f(p)
}

// swapped uses the other one of two in each iteration.
func swapped() {
	c := make(chan *page)
	go func() {
		for p := range c {
			p.n++ // want unprotected
		}
	}()
	p, q := &page{}, &page{}
	for range 3 {
		c <- p
		q.n++ // want unprotected
		p, q = q, p
	}
}

// viaPointer is found again through a variable of which the address is known.
func viaPointer() {
	c := make(chan *page)
	go func() {
		p := <-c
		p.n++ // want unprotected
	}()
	p := &page{}
	sendAndUse(c, p, &p)
}

func sendAndUse(c chan *page, p *page, q **page) {
	c <- p
	(*q).n++ // want unprotected, unshared
}

func main() {
	recursions()
	timers()
	timer()
	finalizers()
	cleanups(nil)
	sorted([]int{2, 1})
	sentLate()
	sentByCallee()
	returned()
	unknownSender()
	swapped()
	viaPointer()
	handed()
	touched()
	stages()
	broadcast()
	again()
	anew()
	recycled()
	recycledEarly()
	kept()
	fromSlice()
	shared()
	linked()
	dropped()
	offered()
	captured()
	capturedByTwo()
	jobs()
	jobsUsed()
	throughMethods()
	throughMethodsUsed()
	twoNames()
	callbacks()
	deferred()
	stored()
	forked()
	forkedBad()
	recursive()
}
