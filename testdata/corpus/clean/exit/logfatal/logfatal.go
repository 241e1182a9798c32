// Package logfatal notes that the server is closing before it closes the listener.
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
	s.closing.Store(true)
	close(s.conns)
}
