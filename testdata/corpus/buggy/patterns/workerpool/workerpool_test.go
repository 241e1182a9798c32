package workerpool

import (
	"sync"
	"sync/atomic"
	"testing"
)

func TestPool(t *testing.T) {
	p := New()
	var ran atomic.Bool
	var err error
	var wg sync.WaitGroup
	wg.Go(func() { err = p.Submit(func() { ran.Store(true) }) })
	wg.Go(p.Stop)
	wg.Wait()
	if ran.Load() != (err == nil) {
		t.Errorf("ran %v, error %v", ran.Load(), err)
	}
}
