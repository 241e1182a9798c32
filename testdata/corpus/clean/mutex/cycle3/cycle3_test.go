package cycle3

import (
	"sync"
	"testing"
)

func TestStore(t *testing.T) {
	var s Store
	var wg sync.WaitGroup
	wg.Go(s.Parse)
	wg.Go(s.Flush)
	wg.Go(s.Reload)
	wg.Wait()
	if s.indexed != 1 || s.parsed < 1 || s.parsed > 2 {
		t.Errorf("indexed %d, parsed %d", s.indexed, s.parsed)
	}
}
