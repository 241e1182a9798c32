package tornconfig

import (
	"sync"
	"testing"
)

func TestAddr(t *testing.T) {
	var c Client
	c.Configure("old", "1")
	var addr string
	var wg sync.WaitGroup
	wg.Go(func() { addr = c.Addr() })
	wg.Go(func() { c.Configure("new", "2") })
	wg.Wait()
	if addr != "old:1" && addr != "new:2" {
		t.Errorf("address %s", addr)
	}
}
