package afterfunc

import (
	"context"
	"sync"
	"testing"
)

func TestRead(t *testing.T) {
	var c Conn
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var err error
	var wg sync.WaitGroup
	wg.Go(func() { err = c.Read(ctx) })
	wg.Go(cancel)
	wg.Wait()
	if err == nil && c.aborted {
		t.Error("the connection was aborted after a successful read")
	}
}
