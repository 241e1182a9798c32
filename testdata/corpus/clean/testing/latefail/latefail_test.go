// Package latefail has a test that waits for its goroutine before it closes the server.
package latefail

import (
	"sync/atomic"
	"testing"
)

type server struct{ closed atomic.Bool }

func (s *server) close() { s.closed.Store(true) }

func TestServer(t *testing.T) {
	var s server
	defer s.close()
	ended := make(chan struct{})
	go func() {
		if s.closed.Load() {
			t.Error("the server is closed")
		}
		close(ended)
	}()
	<-ended
}
