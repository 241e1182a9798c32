// Package publish makes an object visible to others and fills it in afterwards.
//
// Expect: race|fail
package publish

import "sync/atomic"

// A Route leads to a host.
type Route struct{ host string }

// A Router has one route at a time.
type Router struct{ current atomic.Pointer[Route] }

// Set replaces the route.
func (r *Router) Set(host string) {
	route := new(Route)
	r.current.Store(route)
	route.host = host
}

// Host returns the host of the current route, and whether there is one.
func (r *Router) Host() (host string, ok bool) {
	route := r.current.Load()
	if route == nil {
		return "", false
	}
	return route.host, true
}
