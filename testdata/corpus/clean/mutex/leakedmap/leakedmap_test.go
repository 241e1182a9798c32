package leakedmap

import (
	"sync"
	"testing"
)

func TestScores(t *testing.T) {
	s := New()
	s.Add("ann", 1)
	var wg sync.WaitGroup
	wg.Go(func() { s.Add("bob", 2) })
	sum := 0
	for _, points := range s.Snapshot() {
		sum += points
	}
	wg.Wait()
	if sum != 1 && sum != 3 {
		t.Errorf("sum %d, want 1 or 3", sum)
	}
}
