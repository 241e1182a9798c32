package interfacetear

import (
	"sync"
	"testing"
)

func TestEncoder(t *testing.T) {
	e := New()
	var text string
	var wg sync.WaitGroup
	wg.Go(func() { text = e.Encode(1) })
	wg.Go(e.Escape)
	wg.Wait()
	if text != "plain" && text != `"escaped"` {
		t.Errorf("encoded to %s", text)
	}
}
