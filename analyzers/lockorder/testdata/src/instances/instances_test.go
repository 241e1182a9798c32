package instances

import "sync"

// calls is what a test counts.
type calls struct {
	mu sync.Mutex
	n  int
}

func (c *calls) equal(o *calls) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	o.mu.Lock()
	defer o.mu.Unlock()
	return c.n == o.n
}
