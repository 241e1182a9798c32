package cleanup

import (
	"sync"
	"testing"
)

func TestServer(t *testing.T) {
	s := New()
	t.Cleanup(s.Close)
	var wg sync.WaitGroup
	t.Cleanup(wg.Wait) // runs before s.Close
	wg.Go(s.Serve)
}
