package pullshared

import (
	"sync"
	"testing"
)

func TestIDs(t *testing.T) {
	ids := New()
	defer ids.Close()
	var got [2]int
	var wg sync.WaitGroup
	for i := range got {
		wg.Go(func() { got[i] = ids.Next() })
	}
	wg.Wait()
	if got[0]+got[1] != 3 {
		t.Errorf("got %v, want 1 and 2", got)
	}
}
