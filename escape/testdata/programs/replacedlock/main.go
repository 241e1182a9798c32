// A lock that is allocated in a function is as many locks as there are calls.
package main

import (
	"reflect"
	"sync"
)

type guard struct{ mu sync.Mutex }

var (
	current *guard
	direct  sync.Mutex
	n       int
	m       int
	k       int
	fixed   = new(sync.Mutex)
)

func replace() { current = &guard{} }

func work(done chan bool) {
	g := current
	g.mu.Lock()
	n++ // want unprotected
	g.mu.Unlock()
	direct.Lock()
	m++ // want locked
	direct.Unlock()
	fixed.Lock()
	k++ // want locked
	fixed.Unlock()
	done <- true
}

func main() {
	done := make(chan bool)
	replace()
	go work(done)
	replace()
	go work(done)
	<-done
	<-done
	unknown(done)
}

// Code that is not analysed may put another lock in the place of the first.
func unknown(done chan bool) {
	g := &struct{ Mu *sync.Mutex }{new(sync.Mutex)}
	reflect.ValueOf(g)
	h := &struct{ Mu *sync.Mutex }{new(sync.Mutex)}
	n, m := 0, 0
	for range 2 {
		go func() {
			g.Mu.Lock()
			n++ // want unprotected
			g.Mu.Unlock()
			h.Mu.Lock()
			m++ // want locked
			h.Mu.Unlock()
			done <- true
		}()
	}
	<-done
	<-done
}
