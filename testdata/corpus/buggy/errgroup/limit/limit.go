// Package limit starts functions of a limited group from inside its functions, which can all wait for each other's place.
//
// Expect: deadlock
package limit

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// A Group runs a limited number of functions at a time.
type Group struct {
	wg     sync.WaitGroup
	places chan struct{}
}

// New returns a group that runs n functions at a time.
func New(n int) *Group { return &Group{places: make(chan struct{}, n)} }

// Go waits for a free place and runs f there.
func (g *Group) Go(f func()) {
	g.places <- struct{}{}
	g.wg.Go(func() {
		defer func() { <-g.places }()
		f()
	})
}

// Wait waits for all functions.
func (g *Group) Wait() { g.wg.Wait() }

// Visit visits two directories with a file each.
func Visit(visited *atomic.Int32) {
	g := New(2)
	for range 2 {
		g.Go(func() {
			visited.Add(1)
			g.Go(func() { visited.Add(1) })
		})
		runtime.Gosched() // the directory is usually visited at once
	}
	g.Wait()
}
