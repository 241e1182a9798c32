package tryacquire

import (
	"sync"
	"testing"
)

// The winner keeps its token until both have tried.
func TestTryAcquire(t *testing.T) {
	s := make(Semaphore, 1)
	var tried, wg sync.WaitGroup
	tried.Add(2)
	for range 2 {
		wg.Go(func() {
			ok := s.TryAcquire()
			tried.Done()
			tried.Wait()
			if ok {
				s.Release()
			}
		})
	}
	wg.Wait()
	if len(s) != 0 {
		t.Errorf("%d tokens are still taken", len(s))
	}
}
