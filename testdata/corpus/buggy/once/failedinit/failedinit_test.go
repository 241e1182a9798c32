package failedinit

import (
	"sync"
	"testing"
)

func TestClient(t *testing.T) {
	s := new(Server)
	c := NewClient(s)
	var wg sync.WaitGroup
	wg.Go(func() { c.Conn() }) // may come too early
	wg.Go(func() { s.up.Store(true) })
	wg.Wait()
	if _, err := c.Conn(); err != nil {
		t.Errorf("the server is up, but: %v", err)
	}
}
