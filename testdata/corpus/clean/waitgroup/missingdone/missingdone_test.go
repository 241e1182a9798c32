package missingdone

import (
	"sync"
	"testing"
)

func TestJob(t *testing.T) {
	var j Job
	var wg sync.WaitGroup
	wg.Go(func() {
		j.Run(2)
		j.Stop()
	})
	wg.Go(func() {
		if j.parts.Load() > 0 {
			j.Stop()
		}
	})
	wg.Wait()
	if n := j.parts.Load(); n < 1 || n > 2 {
		t.Errorf("%d parts ran, want 1 or 2", n)
	}
}
