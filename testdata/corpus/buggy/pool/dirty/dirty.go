// Package dirty puts a request back into the pool without a reset, and the next user inherits its rights.
//
// Expect: fail
package dirty

import "sync"

// A Request may be made with the rights of an administrator.
type Request struct{ admin bool }

// A Server reuses its requests.
type Server struct{ pool sync.Pool }

// New returns a server.
func New() *Server {
	return &Server{pool: sync.Pool{New: func() any { return new(Request) }}}
}

// Serve reports whether the request is handled with the rights of an administrator.
func (s *Server) Serve(user string) bool {
	r := s.pool.Get().(*Request)
	defer s.pool.Put(r)
	if user == "root" {
		r.admin = true
	}
	return r.admin
}
