package aba

import (
	"slices"
	"sync"
	"testing"
)

func TestFreeList(t *testing.T) {
	f := New(2)
	var a, b uint32
	var wg sync.WaitGroup
	wg.Go(func() { a = f.Pop() })
	wg.Go(func() {
		slot := f.Pop()
		b = f.Pop()
		f.Push(slot)
	})
	wg.Wait()
	taken := []uint32{a, b, f.Pop(), f.Pop()}
	slices.Sort(taken)
	if !slices.Equal(taken, []uint32{0, 0, 1, 2}) {
		t.Errorf("taken slots %v, want each once", taken)
	}
}
