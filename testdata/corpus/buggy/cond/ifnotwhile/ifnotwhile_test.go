package ifnotwhile

import (
	"sync"
	"testing"
)

func TestQueue(t *testing.T) {
	q := New()
	var got [2]int
	var wg sync.WaitGroup
	for i := range got {
		wg.Go(func() { got[i] = q.Get() })
	}
	q.Put(1)
	q.Put(2)
	wg.Wait()
	if got[0]+got[1] != 3 {
		t.Errorf("got %v, want 1 and 2", got)
	}
}
