package rpc

import (
	"sync"
	"testing"
)

func TestClient(t *testing.T) {
	c := Dial()
	var wg sync.WaitGroup
	for id := range 2 {
		wg.Go(func() {
			if got := c.Call(id + 1); got != 2*(id+1) {
				t.Errorf("call %d: %d", id+1, got)
			}
		})
	}
	wg.Wait()
	c.Close()
}
