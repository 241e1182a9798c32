package linkedlist

import (
	"sync"
	"testing"
)

func TestLinkedList2(t *testing.T) { build(t, 2) }
func TestLinkedList4(t *testing.T) { build(t, 4) }
func TestLinkedList8(t *testing.T) { build(t, 8) }

// build lets each of n builders append one value.
func build(t *testing.T, n int) {
	var l List
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() { l.Add(i) })
	}
	wg.Wait()
	if l.Len() != n {
		t.Errorf("%d values, want %d", l.Len(), n)
	}
}
