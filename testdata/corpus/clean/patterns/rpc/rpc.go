// Package rpc registers a call before it sends the request.
package rpc

import "sync"

// A Client multiplexes calls over one connection.
type Client struct {
	requests, replies chan int
	mu                sync.Mutex
	pending           map[int]chan int
	done              sync.WaitGroup
}

// Dial connects to a server that doubles numbers.
func Dial() *Client {
	c := &Client{requests: make(chan int), replies: make(chan int), pending: make(map[int]chan int)}
	c.done.Go(c.serve)
	c.done.Go(c.receive)
	return c
}

func (c *Client) serve() {
	defer close(c.replies)
	for id := range c.requests {
		c.replies <- id
	}
}

func (c *Client) receive() {
	for id := range c.replies {
		c.mu.Lock()
		reply, ok := c.pending[id]
		delete(c.pending, id)
		c.mu.Unlock()
		if ok {
			reply <- 2 * id
		}
	}
}

// Call returns twice the id, which must be unique.
func (c *Client) Call(id int) int {
	reply := make(chan int, 1)
	c.mu.Lock()
	c.pending[id] = reply
	c.mu.Unlock()
	c.requests <- id
	return <-reply
}

// Close ends the connection. There must be no call at the same time or later.
func (c *Client) Close() {
	close(c.requests)
	c.done.Wait()
}
