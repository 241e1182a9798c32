// Package appendrace appends under a lock.
package appendrace

import "sync"

// Squares returns the squares of the numbers, in any order.
func Squares(numbers ...int) []int {
	var mu sync.Mutex
	var squares []int
	var wg sync.WaitGroup
	for _, n := range numbers {
		wg.Go(func() {
			mu.Lock()
			defer mu.Unlock()
			squares = append(squares, n*n)
		})
	}
	wg.Wait()
	return squares
}
