// Package main has locations that are shared in the simplest ways.
package main

import "sync"

type point struct{ x, y int }

func sinkless(p *point) { p.x++ } // want unshared

// local is only known to its function.
func local() int {
	p := &point{}
	q := &p
	(*q).x = 1
	sinkless(p)
	return p.y // want unshared
}

func unprotected() {
	n := 0
	var wg sync.WaitGroup
	wg.Add(1)
	go func() {
		defer wg.Done()
		n++ // want unprotected
	}()
	n++ // want unprotected
	wg.Wait()
}

func readOnly() {
	p := &point{}
	set(p)
	var wg sync.WaitGroup
	for range 3 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			_ = p.x // want read-only
		}()
	}
	_ = p.x // want read-only
	wg.Wait()
}

func set(p *point) {
	p.x = 1 // want read-only
}

// late writes after the goroutines have been started.
func late() {
	p := &point{}
	var wg sync.WaitGroup
	for range 3 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			_ = p.x // want read-only, unprotected
		}()
	}
	p.x = 1 // want read-only, unprotected
	wg.Wait()
}

// handedOver gives each goroutine an object of its own.
func handedOver() {
	var wg sync.WaitGroup
	for i := range 3 {
		p := &point{x: i}
		p.y = 2
		wg.Add(1)
		go func() {
			defer wg.Done()
			p.x++ // want unshared
		}()
	}
	wg.Wait()
}

// oneForAll is made once and given to all.
func oneForAll() {
	var wg sync.WaitGroup
	p := &point{}
	for range 3 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			p.x++ // want read-only, unprotected
		}()
	}
	wg.Wait()
}

var table = map[string]int{"a": 1}

var counter int

func globals() {
	_ = table["a"] // want read-only
	counter++      // want unprotected
}

func main() {
	local()
	unprotected()
	readOnly()
	late()
	handedOver()
	oneForAll()
	go globals()
	globals()
}
