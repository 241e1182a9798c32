// Package store has types whose users must take care of their goroutines, and types that do so
// themselves.
package store

import "sync"

// A Counter is for one goroutine.
type Counter struct {
	n     int
	names map[string]int
}

func (c *Counter) Inc() { c.n++ }

func (c *Counter) Get() int { return c.n }

func (c *Counter) Put(name string) { c.put(name) }

func (c *Counter) put(name string) { c.names[name]++ }

// Later counts at some time.
func (c *Counter) Later() {
	go func() { c.n++ }()
}

// Now counts before it returns.
func (c *Counter) Now() {
	done := make(chan bool)
	go func() {
		c.n++
		close(done)
	}()
	<-done
}

// After counts after it has been told to.
func (c *Counter) After(told chan bool) {
	go func() {
		<-told
		c.n++
	}()
}

// A Gauge is for one goroutine, too.
type Gauge struct{ V int }

func (g *Gauge) Set(v int) { g.V = v }

// Names is a map.
type Names map[string]int

func (n Names) Put(name string) { n.put(name) }

func (n Names) put(name string) { n[name]++ }

// A Lazy makes its index when it is asked for first: mostly it is there already.
type Lazy struct {
	index map[string]int
	once  sync.Once
	ages  []int
}

func (l *Lazy) Index() map[string]int {
	if l.index == nil {
		l.index = make(map[string]int)
	}
	return l.index
}

func (l *Lazy) Ages() []int {
	l.once.Do(func() { l.ages = make([]int, 10) })
	return l.ages
}

// A Turn is taken by one goroutine after the other.
type Turn struct {
	n    int
	turn chan bool
}

func (t *Turn) Take() {
	<-t.turn
	t.n++
	t.turn <- true
}

// A Safe is for all goroutines.
type Safe struct {
	mu     sync.Mutex
	n, top int
}

func (s *Safe) Inc() {
	s.mu.Lock()
	s.n++
	if s.n > s.top {
		s.top = s.n
	}
	s.mu.Unlock()
}

// Top is wrong, but that is not the fault of those who call it.
func (s *Safe) Top() int { return s.top }

// Go runs f beside its caller.
func Go(f func()) { go f() }

// Do runs f, and waits for it.
func Do(f func()) {
	done := make(chan bool)
	go func() {
		defer close(done)
		f()
	}()
	<-done
}

// Total is what Add adds to.
var Total int

func Add(n int) { Total += n }

// Wait waits for the goroutines of a group.
func Wait(wg *sync.WaitGroup) { wg.Wait() }
