package gate

import (
	"sync"
	"testing"
)

func TestGate(t *testing.T) {
	g := New()
	var wg sync.WaitGroup
	wg.Go(g.Pass)
	wg.Go(g.Pass)
	g.Open()
	wg.Wait()
}
