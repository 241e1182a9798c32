// Package main has objects that unknown code gets, with methods that it cannot call.
package main

import "runtime/pprof"

type provider interface{ assign() int }

type keeper struct{ ttl int }

type simple struct{ keeper *keeper }

// assign is called through an interface only.
func (s *simple) assign() int {
	return s.keeper.ttl // want unprotected
}

type store struct{ provider provider }

// authenticate calls what unknown code may have replaced.
func (s *store) authenticate() int { return s.provider.assign() }

func shared() {
	s := &store{&simple{&keeper{1}}}
	pprof.NewProfile("store").Add(s, 0)
	for range 2 {
		go s.authenticate()
	}
}

type own interface{ count() int }

type counter struct{ n int }

func (c *counter) count() int {
	c.n++      // want unshared
	return c.n // want unshared
}

// alone keeps its object for itself.
func alone() int {
	var o own = &counter{}
	return o.count()
}

func main() {
	shared()
	alone()
}
