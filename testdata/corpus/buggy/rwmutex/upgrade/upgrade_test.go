package upgrade

import (
	"sync"
	"testing"
)

func TestSessions(t *testing.T) {
	s := New()
	var got [2]*Session
	var wg sync.WaitGroup
	for i := range got {
		wg.Go(func() { got[i] = s.Get("ann") })
	}
	wg.Wait()
	if got[0] != got[1] {
		t.Error("one user has two sessions")
	}
}
