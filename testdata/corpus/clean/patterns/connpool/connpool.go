// Package connpool counts a connection before it dials, in the critical section that compares with the limit.
package connpool

import (
	"errors"
	"sync"
)

// ErrBusy says that all connections are in use.
var ErrBusy = errors.New("all connections are in use")

// A Conn is a connection.
type Conn struct{ id int }

// A Pool opens a limited number of connections.
type Pool struct {
	mu          sync.Mutex
	idle        []*Conn
	open, limit int
}

// New returns a pool of at most limit connections.
func New(limit int) *Pool { return &Pool{limit: limit} }

// Get returns an idle or a new connection, or ErrBusy.
func (p *Pool) Get() (*Conn, error) {
	p.mu.Lock()
	if n := len(p.idle); n > 0 {
		c := p.idle[n-1]
		p.idle = p.idle[:n-1]
		p.mu.Unlock()
		return c, nil
	}
	if p.open == p.limit {
		p.mu.Unlock()
		return nil, ErrBusy
	}
	p.open++
	id := p.open
	p.mu.Unlock()
	return &Conn{id}, nil // dialling takes time
}

// Put gives a connection back.
func (p *Pool) Put(c *Conn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.idle = append(p.idle, c)
}
