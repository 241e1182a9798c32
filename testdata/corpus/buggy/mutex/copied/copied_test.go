package copied

import (
	"sync"
	"testing"
)

func TestTally(t *testing.T) {
	tally := New()
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() { tally.Inc() })
	}
	wg.Wait()
	if *tally.n != 2 {
		t.Errorf("counted %d, want 2", *tally.n)
	}
}
