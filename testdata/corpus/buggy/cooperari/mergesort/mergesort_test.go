package mergesort

import (
	"slices"
	"testing"
)

func TestMergeSort2(t *testing.T) { sortReversed(t, 2) }
func TestMergeSort4(t *testing.T) { sortReversed(t, 4) }
func TestMergeSort8(t *testing.T) { sortReversed(t, 8) }

// sortReversed sorts two numbers for each of n goroutines.
func sortReversed(t *testing.T, n int) {
	a := make([]int, 2*n)
	for i := range a {
		a[i] = len(a) - i
	}
	Sort(a)
	if !slices.IsSorted(a) {
		t.Errorf("not sorted: %v", a)
	}
}
