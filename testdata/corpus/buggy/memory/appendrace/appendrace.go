// Package appendrace appends to one slice from several goroutines.
//
// Expect: race|fail
package appendrace

import "sync"

// Squares returns the squares of the numbers, in any order.
func Squares(numbers ...int) []int {
	var squares []int
	var wg sync.WaitGroup
	for _, n := range numbers {
		wg.Go(func() { squares = append(squares, n*n) })
	}
	wg.Wait()
	return squares
}
