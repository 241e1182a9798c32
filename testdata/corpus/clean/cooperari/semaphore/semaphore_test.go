package semaphore

import (
	"sync"
	"testing"
)

func TestSemaphore3(t *testing.T) { clients(t, 3) }
func TestSemaphore4(t *testing.T) { clients(t, 4) }
func TestSemaphore8(t *testing.T) { clients(t, 8) }

// clients lets n clients share n-1 places.
func clients(t *testing.T, n int) {
	s := New(n - 1)
	var wg sync.WaitGroup
	for range n {
		wg.Go(func() {
			s.Down()
			s.Up()
		})
	}
	wg.Wait()
	if s.value != n-1 {
		t.Errorf("%d places are free, want %d", s.value, n-1)
	}
}
