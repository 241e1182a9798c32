package concurrentwrite

import (
	"sync"
	"testing"
)

func TestRegistry(t *testing.T) {
	r := New()
	var wg sync.WaitGroup
	for _, name := range []string{"ann", "bob"} {
		wg.Go(func() { r.Register(name, name+".example") })
	}
	wg.Wait()
	if r.Len() != 2 {
		t.Errorf("%d names, want 2", r.Len())
	}
}
