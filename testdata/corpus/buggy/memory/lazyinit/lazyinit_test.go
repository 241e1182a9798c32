package lazyinit

import (
	"sync"
	"testing"
)

func TestConfig(t *testing.T) {
	var p Program
	var got [2]*Config
	var wg sync.WaitGroup
	for i := range got {
		wg.Go(func() { got[i] = p.Config() })
	}
	wg.Wait()
	if got[0] != got[1] {
		t.Error("two configurations")
	}
}
