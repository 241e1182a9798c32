// Package cleanup has a test whose cleanup functions wait for the goroutine before they close the connection.
package cleanup

type conn struct{ served int }

// A Server serves one request.
type Server struct{ conn *conn }

// New returns a server.
func New() *Server { return &Server{conn: new(conn)} }

// Serve handles the request.
func (s *Server) Serve() { s.conn.served++ }

// Close closes the connection.
func (s *Server) Close() { s.conn = nil }
