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

// An oracle asks for the price once for each head, and answers at once if it is known.
type oracle struct {
	cache, fetch sync.Mutex
	head, price  int
}

func (o *oracle) Price(head int, ask func() int) int {
	o.cache.Lock()
	last, price := o.head, o.price
	o.cache.Unlock()
	if head == last {
		return price
	}
	o.fetch.Lock()
	defer o.fetch.Unlock()
	o.cache.Lock()
	last, price = o.head, o.price
	o.cache.Unlock()
	if head == last {
		return price
	}
	price = ask()
	o.cache.Lock()
	o.head, o.price = head, price
	o.cache.Unlock()
	return price
}

// This one does not look again.
func (o *oracle) Hasty(head int, ask func() int) int {
	o.cache.Lock()
	last, price := o.head, o.price
	o.cache.Unlock()
	if head == last {
		return price
	}
	o.fetch.Lock()
	defer o.fetch.Unlock()
	price = ask()
	o.cache.Lock()
	o.head, o.price = head, price // want `o.head is written although the condition was read before o.cache was released`
	o.cache.Unlock()
	return price
}
