package sections

import "sync"

type client struct {
	mu  sync.Mutex
	pre []byte
}

// handshake guards what belongs to c; pre is its own.
func handshake(c *client, read func() []byte) []byte {
	var pre []byte
	use := func() { println(len(pre)) }
	c.mu.Lock()
	if len(pre) == 0 {
		c.mu.Unlock()
		data := read()
		c.mu.Lock()
		pre = data
	}
	c.mu.Unlock()
	use()
	return pre
}

func (c *client) fill(read func() []byte) {
	c.mu.Lock()
	if len(c.pre) == 0 {
		c.mu.Unlock()
		data := read()
		c.mu.Lock()
		c.pre = data // want `c.pre is written although the condition was read before c.mu was released`
	}
	c.mu.Unlock()
}
