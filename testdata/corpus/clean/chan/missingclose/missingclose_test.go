package missingclose

import (
	"sync"
	"testing"
)

func TestCount(t *testing.T) {
	stop := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() { close(stop) })
	next := 0
	for i := range Count(2, stop) {
		if i != next {
			t.Errorf("received %d, want %d", i, next)
		}
		next++
	}
	wg.Wait()
}
