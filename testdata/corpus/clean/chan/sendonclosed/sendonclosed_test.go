package sendonclosed

import (
	"sync"
	"testing"
)

func TestFeed(t *testing.T) {
	f := New(2)
	var wg sync.WaitGroup
	for event := range 2 {
		wg.Go(func() { f.Publish(event) })
	}
	wg.Go(f.Close)
	wg.Wait()
	seen := make(map[int]bool)
	for event := range f.events {
		if seen[event] {
			t.Errorf("event %d twice", event)
		}
		seen[event] = true
	}
}
