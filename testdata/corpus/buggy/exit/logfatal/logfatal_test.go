package logfatal

import (
	"sync"
	"testing"
)

func TestServer(t *testing.T) {
	s := New()
	var wg sync.WaitGroup
	wg.Go(s.Serve)
	s.conns <- 1
	s.Close()
	wg.Wait()
	if n := s.served.Load(); n != 1 {
		t.Errorf("served %d connections, want 1", n)
	}
}
