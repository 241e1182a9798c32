// Package main defers calls that run later than it seems, or without the lock.
package main

import (
	"context"
	"runtime"
	"sync"
)

type counter struct {
	mu sync.Mutex
	n  int
}

func slow(stop bool) {
	if stop {
		runtime.Goexit()
	}
}

// add ends without the lock if slow does not return.
func (c *counter) add() {
	c.mu.Lock()
	defer func() { c.n++ }() // want unprotected, unshared
	c.mu.Unlock()
	slow(true)
	c.mu.Lock()
}

func (c *counter) addAndUnlock() {
	c.add()
	c.mu.Unlock()
}

type gauge struct {
	mu sync.Mutex
	n  int
}

// add has the lock whatever happens.
func (g *gauge) add() {
	g.mu.Lock()
	defer g.mu.Unlock()
	defer func() { g.n++ }() // want locked, unshared
	slow(true)
}

func each(yield func(int) bool) {
	for i := range 2 {
		if !yield(i) {
			return
		}
	}
}

func remove(done chan bool) {
	m := map[int]bool{1: true}
	for i := range each {
		defer delete(m, i) // want ordered, unprotected
	}
	go func() {
		m[7] = true // want ordered, unprotected
		done <- true
	}()
}

func removeAtOnce(done chan bool) {
	m := map[int]bool{1: true}
	for i := range each {
		delete(m, i) // want ordered
	}
	go func() {
		m[7] = true // want ordered
		done <- true
	}()
}

type shelf struct {
	mu sync.Mutex
	m  map[int]int
}

// clear deletes when it has unlocked.
func (s *shelf) clear() {
	defer delete(s.m, 1) // want read-only, unprotected
	s.mu.Lock()
	for range each {
		defer s.mu.Unlock()
		break
	}
}

type drawer struct {
	mu sync.Mutex
	n  int
}

func (d *drawer) close() {
	for range each {
		defer d.mu.Unlock()
		break
	}
}

func (d *drawer) use() {
	d.mu.Lock()
	d.n++ // want unprotected
	d.close()
	d.n++ // want unprotected
}

type chest struct {
	mu sync.Mutex
	n  int
}

func (c *chest) lockAndClose() {
	c.mu.Lock()
	for range each {
		defer c.mu.Unlock()
		break
	}
}

func (c *chest) use() {
	c.lockAndClose()
	c.n++ // want unprotected
}

type rack struct {
	mu sync.Mutex
	m  map[int]int
}

func (r *rack) clear() {
	for i := range each {
		r.mu.Lock()
		delete(r.m, i) // want locked, read-only, unshared
		r.mu.Unlock()
	}
}

type item struct{ n int }

func (i *item) touch() { i.n++ } // want unprotected

func (i *item) use() { i.n++ } // want ordered

// send gives away what it uses at its end.
func send(ch chan *item) {
	i := &item{}
	for range each {
		defer i.touch()
	}
	ch <- i
}

func useAndSend(ch chan *item) {
	i := &item{}
	for range each {
		i.use()
	}
	ch <- i
}

func receive(ch, other chan *item) {
	i := <-ch
	i.n++ // want unprotected
	j := <-other
	j.n++ // want ordered
}

func join(m map[int]int, stop bool) {
	var wg sync.WaitGroup
	wg.Add(1)
	go func() {
		defer wg.Done()
		m[1] = 1 // want ordered, unprotected, unshared
	}()
	slow(stop)
	wg.Wait()
}

// joined deletes while the goroutine still runs if join does not return.
func joined() {
	m := map[int]int{1: 2}
	defer delete(m, 1) // want unprotected
	join(m, true)
}

func joinedFirst() {
	m := map[int]int{1: 2}
	join(m, false)
	delete(m, 1) // want ordered
}

func fail(list []int) int { return list[3] }

func joinOrFail(m map[int]int) {
	var wg sync.WaitGroup
	wg.Add(1)
	go func() {
		defer wg.Done()
		m[1] = 1 // want ordered, unprotected, unshared
	}()
	fail(nil)
	wg.Wait()
}

func recovering(m map[int]int, cleanup func()) {
	defer cleanup()
	joinOrFail(m)
}

func cancelling(m map[int]int, cancel context.CancelFunc) {
	defer cancel()
	joinOrFail(m)
}

type handler struct{}

func (handler) handle() { recover() }

func (handler) close() {}

type closer interface {
	handle()
	close()
}

func handling(m map[int]int, c closer) {
	defer c.handle()
	joinOrFail(m)
}

func closing(m map[int]int, c closer) {
	defer c.close()
	joinOrFail(m)
}

func afterPanic() {
	m := map[int]int{}
	recovering(m, func() { recover() })
	m[2] = 2 // want unprotected
}

func afterHandling() {
	m := map[int]int{}
	handling(m, handler{})
	m[2] = 2 // want unprotected
}

func afterClosing() {
	m := map[int]int{}
	closing(m, handler{})
	m[2] = 2 // want ordered
}

func afterJoin() {
	m := map[int]int{}
	cancelling(m, func() {})
	m[2] = 2 // want ordered
}

func main() {
	c, g, d, h, s, r := &counter{}, &gauge{}, &drawer{}, &chest{}, &shelf{m: map[int]int{}}, &rack{m: map[int]int{}}
	for range 2 {
		go c.addAndUnlock()
		go g.add()
		go s.clear()
		go d.use()
		go h.use()
		go r.clear()
	}
	done := make(chan bool)
	remove(done)
	removeAtOnce(done)
	ch, other := make(chan *item), make(chan *item)
	go receive(ch, other)
	send(ch)
	useAndSend(other)
	go joined()
	joinedFirst()
	afterPanic()
	afterHandling()
	afterClosing()
	afterJoin()
}
