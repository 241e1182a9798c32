// Package latefail has a test whose goroutine may report a failure after the test has closed its server and completed.
//
// Expect: panic|fail
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
	started := make(chan struct{})
	go func() {
		close(started)
		if s.closed.Load() {
			t.Error("the server is closed")
		}
	}()
	<-started
}
