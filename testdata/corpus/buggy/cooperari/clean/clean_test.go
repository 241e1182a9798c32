package clean

import (
	"sync"
	"testing"
)

func TestClean2(t *testing.T) { relay(t, 2) }
func TestClean4(t *testing.T) { relay(t, 4) }
func TestClean8(t *testing.T) { relay(t, 8) }

// relay passes a signal twice around a ring of n tasks.
func relay(t *testing.T, n int) {
	events := make([]*Event, n)
	for i := range events {
		events[i] = NewEvent()
	}
	const rounds = 2
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			for seen := range rounds {
				if i > 0 {
					events[i].Await(seen)
				}
				events[(i+1)%n].Signal()
				if i == 0 {
					events[0].Await(seen)
				}
			}
		})
	}
	wg.Wait()
	for i, e := range events {
		if e.count != rounds {
			t.Errorf("event %d: %d signals, want %d", i, e.count, rounds)
		}
	}
}
