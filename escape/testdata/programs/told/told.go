// Package main gives objects to operations that use them or hand them on.
package main

import (
	"log"
	"sync"
	"testing"

	"golang.org/x/sync/errgroup"
)

// total is formatted without its lock, by what ends a test or the program.
type total struct {
	mu sync.Mutex
	n  int
}

func (t *total) String() string {
	if t.n > 0 { // want unprotected
		return "some"
	}
	return "none"
}

func (t *total) add() {
	t.mu.Lock()
	t.n++ // want unprotected
	t.mu.Unlock()
}

func fatal(t *testing.T) {
	s := &total{}
	go s.add()
	t.Fatalf("have %v", s)
}

// sum is the same for an interface.
type sum struct {
	mu sync.Mutex
	n  int
}

func (s *sum) String() string {
	if s.n > 0 { // want unprotected
		return "some"
	}
	return "none"
}

func (s *sum) add() {
	s.mu.Lock()
	s.n++ // want unprotected
	s.mu.Unlock()
}

func skip(t testing.TB) {
	s := &sum{}
	go s.add()
	t.Skip(s)
}

// count is the same for the program's end.
type count struct {
	mu sync.Mutex
	n  int
}

func (c *count) Error() string {
	if c.n > 0 { // want unprotected
		return "some"
	}
	return "none"
}

func (c *count) add() {
	c.mu.Lock()
	c.n++ // want unprotected
	c.mu.Unlock()
}

func end() {
	c := &count{}
	go c.add()
	log.Fatal(c)
}

// failure is an error that a group hands on.
type failure struct {
	mu sync.Mutex
	n  int
}

func (f *failure) Error() string {
	if f.n > 0 { // want unprotected
		return "some"
	}
	return "none"
}

func (f *failure) add() {
	f.mu.Lock()
	f.n++ // want unprotected
	f.mu.Unlock()
}

func group() {
	var g errgroup.Group
	g.Go(func() error {
		f := &failure{}
		go f.add()
		return f
	})
	if err := g.Wait(); err != nil {
		println(err.Error())
	}
}

func main() {
	t := &testing.T{}
	fatal(t)
	skip(t)
	group()
	end()
}
