package skipsend

import (
	"sync"
	"testing"
)

func TestRead(t *testing.T) {
	var s Store
	var wg sync.WaitGroup
	wg.Go(s.Close)
	if got := s.Read(); got != 42 && got != 0 {
		t.Errorf("read %d", got)
	}
	wg.Wait()
}
