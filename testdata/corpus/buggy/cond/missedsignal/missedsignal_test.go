package missedsignal

import (
	"sync"
	"testing"
)

func TestLatch(t *testing.T) {
	l := New()
	var wg sync.WaitGroup
	wg.Go(l.Release)
	wg.Go(l.Wait)
	wg.Wait()
}
