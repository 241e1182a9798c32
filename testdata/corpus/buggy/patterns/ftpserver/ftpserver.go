// Package ftpserver sets the fields of a connection to nil in close while the serving loop uses them.
//
// Expect: race|panic
package ftpserver

type user struct{ name string }

type writer struct{ sent []string }

func (w *writer) send(line string) { w.sent = append(w.sent, line) }

// A Connection serves the commands of a client.
type Connection struct {
	closed bool
	user   *user
	out    *writer
}

// New returns a connection of a user.
func New(name string) *Connection { return &Connection{user: &user{name}, out: new(writer)} }

// Run serves n commands or until the connection is closed.
func (c *Connection) Run(n int) {
	for range n {
		if c.closed {
			return
		}
		c.out.send("200 " + c.user.name)
	}
}

// Close ends the connection.
func (c *Connection) Close() {
	c.closed = true
	c.user = nil
	c.out = nil
}
