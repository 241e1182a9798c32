package publish

import (
	"sync"
	"testing"
)

func TestRouter(t *testing.T) {
	var r Router
	var wg sync.WaitGroup
	wg.Go(func() {
		if host, ok := r.Host(); ok && host != "example" {
			t.Errorf("host %q", host)
		}
	})
	wg.Go(func() { r.Set("example") })
	wg.Wait()
}
