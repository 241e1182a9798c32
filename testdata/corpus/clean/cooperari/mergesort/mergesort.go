// Package mergesort gives each half the part of the scratch buffer that corresponds to it.
package mergesort

import "sync"

// Sort sorts a, each half in its own goroutine.
func Sort(a []int) { sort(a, make([]int, len(a))) }

func sort(a, scratch []int) {
	if len(a) < 2 {
		return
	}
	mid := len(a) / 2
	var wg sync.WaitGroup
	wg.Go(func() { sort(a[:mid], scratch[:mid]) })
	sort(a[mid:], scratch[mid:])
	wg.Wait()
	merge(a, mid, scratch)
}

func merge(a []int, mid int, scratch []int) {
	i, j := 0, mid
	for k := range a {
		if j == len(a) || i < mid && a[i] <= a[j] {
			scratch[k] = a[i]
			i++
		} else {
			scratch[k] = a[j]
			j++
		}
	}
	for k := range a {
		a[k] = scratch[k]
	}
}
