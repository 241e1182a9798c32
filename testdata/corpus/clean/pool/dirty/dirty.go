// Package dirty resets a request when it comes out of the pool.
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
	*r = Request{}
	if user == "root" {
		r.admin = true
	}
	return r.admin
}
