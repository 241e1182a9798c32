package trylock

import (
	"sync"
	"testing"
)

func TestHits(t *testing.T) {
	var h Hits
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(h.Inc)
	}
	wg.Wait()
	if h.n != 2 {
		t.Errorf("counted %d, want 2", h.n)
	}
}
