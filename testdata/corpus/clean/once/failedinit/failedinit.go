// Package failedinit caches success only and tries again after an error.
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
	server *Server
	mu     sync.Mutex
	conn   int
}

// NewClient returns a client of s.
func NewClient(s *Server) *Client { return &Client{server: s} }

// Conn returns the connection.
func (c *Client) Conn() (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.conn != 0 {
		return c.conn, nil
	}
	conn, err := c.server.dial()
	if err == nil {
		c.conn = conn
	}
	return conn, err
}
