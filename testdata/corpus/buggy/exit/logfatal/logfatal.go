// Package logfatal closes its listener before it notes that this is intended, so that the serving goroutine ends the program.
//
// Expect: exit
package logfatal

import (
	"log"
	"sync/atomic"
)

// A Server accepts connections until Close.
type Server struct {
	conns   chan int
	closing atomic.Bool
	served  atomic.Int32
}

// New returns a server.
func New() *Server { return &Server{conns: make(chan int)} }

// Serve serves connections until the server is closed.
func (s *Server) Serve() {
	for {
		_, ok := <-s.conns
		if !ok {
			break
		}
		s.served.Add(1)
	}
	if !s.closing.Load() {
		log.Fatal("listener failed")
	}
}

// Close ends Serve.
func (s *Server) Close() {
	close(s.conns)
	s.closing.Store(true)
}
