package doubleclose

import (
	"sync"
	"testing"
)

func TestStop(t *testing.T) {
	s := New()
	var wg sync.WaitGroup
	wg.Go(s.Stop)
	wg.Go(s.Stop)
	<-s.Done()
	wg.Wait()
}
