// Package ftpserver takes the same lock in close and for each command of the serving loop.
package ftpserver

import "sync"

type user struct{ name string }

type writer struct{ sent []string }

func (w *writer) send(line string) { w.sent = append(w.sent, line) }

// A Connection serves the commands of a client.
type Connection struct {
	mu     sync.Mutex
	closed bool
	user   *user
	out    *writer
}

// New returns a connection of a user.
func New(name string) *Connection { return &Connection{user: &user{name}, out: new(writer)} }

// Run serves n commands or until the connection is closed.
func (c *Connection) Run(n int) {
	for range n {
		if !c.serve() {
			return
		}
	}
}

func (c *Connection) serve() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return false
	}
	c.out.send("200 " + c.user.name)
	return true
}

// Close ends the connection.
func (c *Connection) Close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = true
	c.user = nil
	c.out = nil
}
