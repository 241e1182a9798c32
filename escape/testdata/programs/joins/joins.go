// Package main waits for goroutines before it accesses what they wrote.
package main

import "sync"

type sum struct{ n int }

// joined reads when all are done; the goroutines only share a lock-protected sum.
func joined() int {
	var wg sync.WaitGroup
	var mu sync.Mutex
	s := &sum{}
	for i := range 3 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			mu.Lock()
			s.n += i // want locked, read-only, unshared
			mu.Unlock()
		}()
	}
	wg.Wait()
	return s.n // want locked, read-only
}

// early reads before all are done.
func early() int {
	var wg sync.WaitGroup
	var mu sync.Mutex
	s := &sum{}
	for i := range 3 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			mu.Lock()
			s.n += i // want read-only, unprotected, unshared
			mu.Unlock()
		}()
	}
	n := s.n // want read-only, unprotected
	wg.Wait()
	return n
}

// one goroutine, and its starter after it.
func one() int {
	var wg sync.WaitGroup
	s := &sum{}
	wg.Add(1)
	go func() {
		s.n++ // want ordered
		wg.Done()
	}()
	wg.Wait()
	return s.n // want ordered
}

// tooEarly says Done before it writes.
func tooEarly() int {
	var wg sync.WaitGroup
	s := &sum{}
	wg.Add(1)
	go func() {
		wg.Done()
		s.n++ // want read-only, unprotected
	}()
	wg.Wait()
	return s.n // want read-only, unprotected
}

// inside adds too late: Wait may return before.
func inside() int {
	var wg sync.WaitGroup
	s := &sum{}
	go func() {
		wg.Add(1)
		defer wg.Done()
		s.n++ // want read-only, unprotected
	}()
	wg.Wait()
	return s.n // want read-only, unprotected
}

// twice says Done twice, so that Wait may return while the other goroutine runs.
func twice() int {
	var wg sync.WaitGroup
	s := &sum{}
	wg.Add(1)
	go func() {
		defer wg.Done()
		s.n++ // want read-only, unprotected
	}()
	wg.Add(1)
	go func() {
		wg.Done()
		wg.Done()
	}()
	wg.Wait()
	return s.n // want read-only, unprotected
}

// nested starts a goroutine that nobody waits for.
func nested() int {
	var wg sync.WaitGroup
	s := &sum{}
	wg.Go(func() {
		go func() {
			s.n++ // want read-only, unprotected
		}()
	})
	wg.Wait()
	return s.n // want read-only, unprotected
}

// steps has phases, in a method of an object that comes from the caller.
type grid struct {
	cells []int
	total int
	mu    sync.Mutex
}

func (g *grid) run(steps int) {
	for range steps {
		var wg sync.WaitGroup
		for range 2 {
			wg.Go(func() { g.work() })
		}
		wg.Wait()
		for i := range g.cells {
			g.cells[i]++ // want ordered, read-only
		}
	}
}

func (g *grid) work() {
	n := 0
	for _, c := range g.cells { // want ordered, read-only
		n += c
	}
	g.mu.Lock()
	g.total += n // want locked
	g.mu.Unlock()
}

func phases() int {
	g := &grid{cells: make([]int, 4)}
	g.run(3)
	return g.total + g.cells[0] // want locked, ordered, read-only
}

// unjoined is phases without Wait.
type badGrid struct{ cells []int }

func (g *badGrid) run(steps int) {
	for range steps {
		var wg sync.WaitGroup
		for range 2 {
			wg.Go(func() { g.work() })
		}
		for i := range g.cells {
			g.cells[i]++ // want read-only, unprotected
		}
		wg.Wait()
	}
}

func (g *badGrid) work() int {
	return g.cells[0] // want read-only, unprotected
}

func badPhases() {
	g := &badGrid{cells: make([]int, 4)}
	g.run(3)
}

func main() {
	joined()
	early()
	one()
	tooEarly()
	inside()
	twice()
	nested()
	phases()
	badPhases()
}
