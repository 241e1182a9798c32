package atomics

import (
	"sync"
	"sync/atomic"
)

type counter struct {
	mu   sync.Mutex
	n    atomic.Int64
	bits uint32
	held atomic.Bool
}

func (c *counter) inc() {
	c.n.Store(c.n.Load() + 1) // want `c.n is stored after it was loaded: what another goroutine stores in between is lost`
}

func (c *counter) incLocked() {
	c.n.Store(c.n.Load() + 1)
}

func (c *counter) incWithLock() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.n.Store(c.n.Load() + 1)
}

func (c *counter) incCAS() {
	for {
		n := c.n.Load()
		if c.n.CompareAndSwap(n, n+1) {
			return
		}
	}
}

func (c *counter) reset() int64 {
	n := c.n.Load()
	c.n.Store(0)
	return n
}

func (c *counter) set(bit int) {
	atomic.StoreUint32(&c.bits, atomic.LoadUint32(&c.bits)|1<<bit) // want `c.bits is stored after it was loaded`
}

func (c *counter) compute() int64 {
	n := c.n.Load()
	if n == 0 {
		for i := range int64(10) {
			n = 31*n + i
		}
		c.n.Store(n)
	}
	return n
}

func fresh() *counter {
	c := new(counter)
	c.n.Store(c.n.Load() + 1)
	return c
}

func (c *counter) release() {
	if c.held.Load() {
		c.held.Store(false) // want `c.held is tested and set in two steps: two goroutines can pass the test`
		c.mu.Unlock()
	}
}

func (c *counter) releaseCAS() {
	if c.held.CompareAndSwap(true, false) {
		c.mu.Unlock()
	}
}

func (c *counter) waitAndStart(start func()) {
	for !c.held.Load() {
	}
	c.held.Store(false)
	start()
}

// Called with the lock held, also without a comment.
func (c *counter) halve() { c.n.Store(c.n.Load() / 2) }

func (c *counter) halveAll() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.halve()
}

// It does not matter how often it is set.
func (c *counter) mark() {
	if !c.held.Load() {
		c.held.Store(true)
	}
}

func (c *counter) drop(free func()) {
	c.n.Add(-1)
	if c.n.Load() == 0 { // want `c.n is loaded after it was changed: another goroutine may have changed it, too`
		free()
	}
}

func (c *counter) dropResult(free func()) {
	if c.n.Add(-1) == 0 {
		free()
	}
}

func (c *counter) allow() bool {
	if c.n.Load() <= 0 {
		return false
	}
	c.n.Add(-1) // want `c.n is tested and changed in two steps: two goroutines can pass the test`
	return true
}

func (c *counter) allowResult() bool {
	if c.n.Load() <= 0 {
		return false
	}
	if c.n.Add(-1) < 0 {
		c.n.Add(1)
		return false
	}
	return true
}

type config struct{ host, port string }

type client struct {
	value   atomic.Value
	pointer atomic.Pointer[config]
	names   atomic.Pointer[[]string]
}

func (c *client) addr() string {
	host := c.value.Load().(config).host
	port := c.value.Load().(config).port // want `c.value is loaded again: the parts that are used may belong to two versions`
	return host + port
}

func (c *client) addrOnce() string {
	v := c.value.Load().(config)
	return v.host + v.port
}

func (c *client) addrPointer() string {
	return c.pointer.Load().host + c.pointer.Load().port // want `c.pointer is loaded again`
}

func (c *client) list() []string {
	if p := c.names.Load(); p != nil {
		return *p
	}
	return nil
}

func (c *client) add(name string) {
	names := append(c.list(), name)
	c.names.Store(&names) // want `c.names is stored after it was loaded`
}

func (c *client) replace(name string) {
	names := []string{name}
	c.names.Store(&names)
}
