package quitdrops

import (
	"sync"
	"testing"
)

func TestStop(t *testing.T) {
	w := New()
	var wg sync.WaitGroup
	wg.Go(func() {
		for job := range 3 {
			w.Submit(job)
		}
	})
	wg.Wait()
	if sum := w.Stop(); sum != 3 {
		t.Errorf("sum %d, want 3", sum)
	}
}
