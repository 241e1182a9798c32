package lostwakeup

import (
	"sync"
	"testing"
)

func TestMailbox(t *testing.T) {
	m := New()
	var wg sync.WaitGroup
	wg.Go(func() { m.Put(42) })
	if got := m.Get(); got != 42 {
		t.Errorf("got %d, want 42", got)
	}
	wg.Wait()
}
