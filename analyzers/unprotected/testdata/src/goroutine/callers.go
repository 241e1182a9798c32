package goroutine

import (
	"sync"
	"time"
)

type clock struct {
	mu    sync.Mutex
	timer *time.Timer
	bare  *time.Timer
	n     int
}

// reset is always called by a function that has the lock.
func (c *clock) reset() {
	c.timer = time.AfterFunc(time.Second, c.tick)
	c.n++
}

func (c *clock) tick() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.n++
	c.reset()
}

func (c *clock) start() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.reset()
}

// begin is called without it.
func (c *clock) begin() {
	time.AfterFunc(time.Second, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.bare = nil
	})
	c.bare = time.NewTimer(1) // want `clock.bare is written here and written by another goroutine`
}

func Begin() { new(clock).begin() }

// invoke waits for the function.
func invoke(f func()) {
	done := make(chan bool)
	go func() {
		defer close(done)
		f()
	}()
	<-done
}

func invoked() (n int) {
	invoke(func() { n++ })
	return n
}

func start(f func()) {
	go func() { f() }()
}

func started() (n int) {
	start(func() { n++ }) // want `n is written here and read by another goroutine`
	return n
}

// A queue calls functions one after the other.
type queue struct{ last chan bool }

func (q *queue) add(f func()) {
	before, done := q.last, make(chan bool)
	q.last = done
	go func() {
		<-before
		f()
		close(done)
	}()
}

func inTurn(q *queue) {
	n := 0
	q.add(func() { n++ })
	q.add(func() { n++ })
}

// A consumer sets its timer with its lock held, and so does the timer's function, though that
// depends on the result of idle.
type consumer struct {
	mu    sync.Mutex
	timer *time.Timer
	todo  int
}

func (c *consumer) set() {
	c.timer = time.AfterFunc(time.Second, c.check)
}

func (c *consumer) check() {
	c.mu.Lock()
	if c.idle() {
		return
	}
	c.timer = nil
	c.mu.Unlock()
}

// idle releases the lock if there is nothing to do.
func (c *consumer) idle() bool {
	if c.todo > 0 {
		return false
	}
	c.mu.Unlock()
	return true
}

func (c *consumer) Add() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.more()
}

func (c *consumer) more() { c.set() }

// The same, but what Add has is not for its goroutine.
type careless struct {
	mu    sync.Mutex
	timer *time.Timer
	todo  int
}

func (c *careless) set() {
	c.timer = time.AfterFunc(time.Second, c.check)
}

func (c *careless) check() {
	c.mu.Lock()
	if c.idle() {
		return
	}
	c.timer = nil // want `careless.timer is written here and written by another goroutine`
	c.mu.Unlock()
}

// idle releases the lock if there is nothing to do.
func (c *careless) idle() bool {
	if c.todo > 0 {
		return false
	}
	c.mu.Unlock()
	return true
}

func (c *careless) Add() {
	c.mu.Lock()
	defer c.mu.Unlock()
	go c.set()
}
