package twostage

import (
	"sync"
	"testing"
)

func TestSemaphore(t *testing.T) {
	s := New(2)
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			s.Down()
			s.Up()
		})
	}
	wg.Wait()
	if s.value != 2 {
		t.Errorf("%d places are free, want 2", s.value)
	}
}
