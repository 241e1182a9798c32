package ftpserver

import (
	"sync"
	"testing"
)

func TestConnection(t *testing.T) {
	c := New("ann")
	var wg sync.WaitGroup
	wg.Go(func() { c.Run(2) })
	wg.Go(c.Close)
	wg.Wait()
	if c.user != nil || c.out != nil {
		t.Error("the connection is still open")
	}
}
