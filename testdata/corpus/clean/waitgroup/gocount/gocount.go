// Package gocount gives each function of WaitGroup.Go an element of its own and adds up after Wait.
package gocount

import "sync"

// Words counts the words of all lines in parallel.
func Words(lines ...[]string) int {
	counts := make([]int, len(lines))
	var wg sync.WaitGroup
	for i, words := range lines {
		wg.Go(func() { counts[i] = len(words) })
	}
	wg.Wait()
	total := 0
	for _, n := range counts {
		total += n
	}
	return total
}
