// Package gocount lets the functions of WaitGroup.Go add to one variable without a lock.
//
// Expect: race|fail
package gocount

import "sync"

// Words counts the words of all lines in parallel.
func Words(lines ...[]string) int {
	total := 0
	var wg sync.WaitGroup
	for _, words := range lines {
		wg.Go(func() { total += len(words) })
	}
	wg.Wait()
	return total
}
