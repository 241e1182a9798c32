package dirty

import (
	"sync"
	"testing"
)

func TestServe(t *testing.T) {
	s := New()
	var wg sync.WaitGroup
	wg.Go(func() { s.Serve("root") })
	wg.Go(func() {
		if s.Serve("guest") {
			t.Error("a guest has the rights of an administrator")
		}
	})
	wg.Wait()
}
