// Package skipsend leaves its caller waiting for a reply when the called function ends the goroutine.
//
// Expect: deadlock
package skipsend

import (
	"runtime"
	"sync/atomic"
)

// A Store serves until it is closed.
type Store struct{ closed atomic.Bool }

// Close ends the service.
func (s *Store) Close() { s.closed.Store(true) }

func (s *Store) read() int {
	if s.closed.Load() {
		runtime.Goexit()
	}
	return 42
}

// Read returns a value, or 0 when the store is closed.
func (s *Store) Read() int {
	reply := make(chan int)
	go func() { reply <- s.read() }()
	return <-reply
}
