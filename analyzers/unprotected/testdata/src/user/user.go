// Package user calls functions of package store, of which it knows what they access.
package user

import (
	"store"
	"sync"
)

func twice(c *store.Counter) {
	go c.Inc()
	go c.Inc() // want `Counter.n is written here \(in Counter.Inc\) and read by another goroutine`
}

func twoCalls(n store.Names) {
	go n.Put("a")
	n.Put("b") // want `n is written here \(in Names.Put\) and read by another goroutine`
}

func joined() int {
	var wg sync.WaitGroup
	var joined store.Counter
	wg.Add(1)
	go func() {
		defer wg.Done()
		joined.Inc()
	}()
	store.Wait(&wg)
	return joined.Get()
}

func notJoined() int {
	var loose store.Gauge
	go func() { loose.Set(1) }() // want `Gauge.V is written here \(in Gauge.Set\) and read by another goroutine`
	return loose.V
}

func lazily(l *store.Lazy) {
	go l.Index()
	l.Index()
	go l.Ages()
	l.Ages()
}

func inTurn(t *store.Turn) {
	go t.Take()
	go t.Take()
}

func safe(s *store.Safe) int {
	go s.Inc()
	go s.Inc()
	return s.Top()
}

type late struct{ count store.Counter }

func (l *late) begin() int {
	l.count.Later() // want `late.count.n is written here \(in Counter.Later\) and read by another goroutine`
	return l.count.Get()
}

type now struct{ count store.Counter }

func (l *now) begin() int {
	l.count.Now()
	return l.count.Get()
}

type told struct {
	count store.Counter
	tell  chan bool
}

func (l *told) begin() {
	l.count.After(l.tell)
	l.count.Inc()
	l.tell <- true
}

func passed() int {
	n := 0
	store.Go(func() { n++ }) // want `n is written here and read by another goroutine`
	return n
}

func passedAndDone() int {
	n := 0
	store.Do(func() { n++ })
	return n
}

func global() {
	go store.Add(1)
	store.Add(2) // want `Total is written here \(in Add\) and read by another goroutine`
}

// guarded holds its lock wherever it uses the counter of another package, but once.
type guarded struct {
	mu    sync.Mutex
	count store.Counter
	names *store.Counter
}

func (g *guarded) a() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.count.Inc()
	g.names.Put("a")
}

func (g *guarded) b() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.count.Inc()
	g.names.Put("b")
}

func (g *guarded) c() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.names.Put("c")
	return g.count.Get()
}

// Forgotten has no lock; that the pointer is read without it does no harm.
func (g *guarded) Forgotten() bool {
	g.count.Inc() // want `guarded.count.n is written \(in Counter.Inc\) without mu, which is held elsewhere`
	return g.names == nil
}
