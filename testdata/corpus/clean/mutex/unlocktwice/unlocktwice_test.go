package unlocktwice

import (
	"sync"
	"testing"
)

func TestLease(t *testing.T) {
	var l Lease
	l.Acquire()
	var wg sync.WaitGroup
	wg.Go(l.Release) // the holder
	wg.Go(l.Release) // the janitor
	wg.Wait()
	if !l.mu.TryLock() {
		t.Error("the lease has not ended")
	}
}
