package lostsignal

import (
	"sync"
	"testing"
)

func TestQueue(t *testing.T) {
	q := New()
	var wg sync.WaitGroup
	wg.Go(func() {
		for i := range 2 {
			q.Put(i)
		}
	})
	for i := range 2 {
		if got := q.Get(); got != i {
			t.Errorf("got %d, want %d", got, i)
		}
	}
	wg.Wait()
}
