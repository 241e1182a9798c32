package lock

import (
	"sync"
	"sync/atomic"
)

type conn struct {
	mu     sync.Mutex
	secure atomic.Bool
	refs   atomic.Int32
	state  *string // set before secure
	limit  int
	delay  int
	log    []string
}

func (c *conn) Upgrade(state string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.state = &state
	c.secure.Store(true)
}

func (c *conn) First() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.state != nil
}

func (c *conn) Second() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return *c.state
}

// State reads what has been there before the flag.
func (c *conn) State() string {
	if c.secure.Load() {
		return *c.state
	}
	return ""
}

func (c *conn) SetLimit(n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.secure.Store(false)
	c.limit = n
}

func (c *conn) Limit() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.limit
}

func (c *conn) Half() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.limit / 2
}

// The flag says nothing about the limit, which is written after it.
func (c *conn) Double() int {
	if c.secure.Load() {
		return c.limit * 2 // want `conn.limit is read without mu, which is held elsewhere`
	}
	return 0
}

func (c *conn) SetDelay(n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.delay = n
}

func (c *conn) Delay() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.delay
}

func (c *conn) Twice() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return 2 * c.delay
}

// Serve accepts requests, which may set the delay, when pump has copied it.
func (c *conn) Serve() {
	begun := make(chan bool)
	go c.pump(begun)
	<-begun
}

func (c *conn) pump(begun chan bool) {
	delay := c.delay
	close(begun)
	for range delay {
		c.Delay()
	}
}

func (c *conn) Add(line string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.log = append(c.log, line)
}

func (c *conn) Lines() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.log)
}

func (c *conn) Empty() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.log) == 0
}

func (c *conn) Close() {
	if c.refs.Add(-1) == 0 {
		c.free()
	}
}

func network() string { return "tcp" }

// Whether the network says that there are no other references is not known.
func (c *conn) Abort() {
	if network() == "udp" {
		c.free()
	}
}

// free is called when the last reference is gone.
func (c *conn) free() { c.log = nil }

type late struct {
	mu   sync.Mutex
	refs atomic.Int32
	wait int
	log  []string
}

func (l *late) SetWait(n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.wait = n
}

func (l *late) Wait() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.wait
}

func (l *late) Longer() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.wait + 1
}

func (l *late) Serve() {
	begun := make(chan bool)
	go l.pump(begun)
	<-begun
}

// It is read after the signal.
func (l *late) pump(begun chan bool) {
	close(begun)
	for range l.wait { // want `late.wait is read without mu, which is held elsewhere`
		l.Wait()
	}
}

func (l *late) Add(line string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.log = append(l.log, line)
}

func (l *late) Lines() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.log)
}

func (l *late) Empty() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.log) == 0
}

func (l *late) Close() {
	if l.refs.Add(-1) == 1 {
		l.free()
	}
}

// One reference is left.
func (l *late) free() {
	l.log = nil // want `late.log is written without mu, which is held elsewhere`
}

// A crew has workers that Reset has waited for when it touches what they share.
type crew struct {
	mu   sync.Mutex
	done int
	todo int
	wg   sync.WaitGroup
}

func (c *crew) Work() {
	c.mu.Lock()
	c.done++
	c.todo--
	c.mu.Unlock()
}

func (c *crew) Add() {
	c.mu.Lock()
	c.todo++
	c.done--
	c.mu.Unlock()
}

func (c *crew) Left() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.todo - c.done
}

func (c *crew) join() { c.wg.Wait() }

func (c *crew) Reset() {
	c.todo = 0 // want `crew.todo is written without mu, which is held elsewhere`
	c.join()
	c.done = 0
}
