package flags

import (
	"sync"
	"testing"
)

func TestBridge(t *testing.T) {
	var b Bridge
	var entered [2]bool
	var wg sync.WaitGroup
	for side := range entered {
		wg.Go(func() { entered[side] = b.TryEnter(side) })
	}
	wg.Wait()
	if entered[0] && entered[1] {
		t.Error("both sides are on the bridge")
	}
}
