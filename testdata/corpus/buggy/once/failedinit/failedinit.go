// Package failedinit caches a transient error in a sync.OnceValues for ever.
//
// Expect: fail
package failedinit

import (
	"errors"
	"sync"
	"sync/atomic"
)

// A Server must be started before clients can connect.
type Server struct{ up atomic.Bool }

func (s *Server) dial() (int, error) {
	if !s.up.Load() {
		return 0, errors.New("connection refused")
	}
	return 1, nil
}

// A Client connects at the first use.
type Client struct {
	// Conn returns the connection.
	Conn func() (int, error)
}

// NewClient returns a client of s.
func NewClient(s *Server) *Client { return &Client{Conn: sync.OnceValues(s.dial)} }
