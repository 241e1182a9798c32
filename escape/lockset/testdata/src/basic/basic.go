// Package basic has locks that are taken and released in one function.
package basic

import "sync"

func held() {}

type counter struct {
	mu sync.Mutex
	rw sync.RWMutex
	n  int
}

var global sync.Mutex

func between(c *counter) {
	held() // want "held: \\[\\]"
	c.mu.Lock()
	held() // want "held: \\[c.mu\\]"
	c.mu.Unlock()
	held() // want "held: \\[\\]"
}

func modes(c *counter) {
	c.rw.RLock()
	held() // want "held: \\[c.rw \\(read\\)\\]"
	c.rw.RUnlock()
	c.rw.Lock()
	held() // want "held: \\[c.rw\\]"
	c.rw.Unlock()
}

func branch(c *counter, b bool) {
	if b {
		c.mu.Lock()
		held() // want "held: \\[c.mu\\]"
	}
	held() // want "held: \\[\\]"
	if b {
		c.mu.Unlock()
	}
}

func both(c *counter, b bool) {
	if b {
		c.mu.Lock()
	} else {
		c.mu.Lock()
	}
	held() // want "held: \\[c.mu\\]"
	c.mu.Unlock()
}

func two(c, d *counter) {
	c.mu.Lock()
	d.mu.Lock()
	held() // want "held: \\[c.mu, d.mu\\]"
	c.mu.Unlock()
	held() // want "held: \\[d.mu\\]"
	d.mu.Unlock()
}

// d may be c, so that nothing is certain after an unlock of d.
func alias(c, d *counter) {
	c.mu.Lock()
	d.mu.Unlock()
	held() // want "held: \\[\\]"
}

func globals() {
	global.Lock()
	held() // want "held: \\[basic.global\\]"
	global.Unlock()
}

type embedded struct {
	sync.Mutex
	n int
}

func promoted(e *embedded) {
	e.Lock()
	held() // want "held: \\[e.Mutex\\]"
	e.Unlock()
}

func locker(l sync.Locker) {
	l.Lock()
	held() // want "held: \\[l\\]"
	l.Unlock()
	held() // want "held: \\[\\]"
}

func rlocker(c *counter) {
	l := c.rw.RLocker()
	l.Lock()
	held() // want "held: \\[c.rw \\(read\\)\\]"
	l.Unlock()
	held() // want "held: \\[\\]"
}

func cond(c *counter, d *sync.Cond) {
	d.L.Lock()
	for c.n == 0 {
		d.Wait()
		held() // want "held: \\[d.L\\]"
	}
	d.L.Unlock()
}

func lockedByParameter(mu *sync.Mutex) {
	mu.Lock()
	held() // want "held: \\[mu\\]"
	mu.Unlock()
}

type outer struct{ inner *counter }

func pointers(o *outer) {
	o.inner.mu.Lock()
	held() // want "held: \\[o.inner.mu\\]"
	o.inner.mu.Unlock()
	held() // want "held: \\[\\]"
}
