// Package main has objects that are judged before it is known that they are those of others.
package main

import "runtime/pprof"

type config struct{ size, limit int }

// peek is called with an object that nobody else has, and with one that is lost.
func (c *config) peek() int {
	return c.size // want unprotected, unshared
}

// lose gives c to code that is not analysed, which is seen here.
func (c *config) lose() {
	pprof.NewProfile("config").Add(c, 0)
	c.size++ // want unprotected
	c.size++
	c.size = 3
}

func alone() int {
	c := &config{size: 1}
	return c.peek()
}

func both() int {
	c := &config{}
	c.lose()
	return c.peek()
}

func main() {
	alone()
	both()
}
