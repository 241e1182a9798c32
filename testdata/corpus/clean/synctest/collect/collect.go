// Package collect waits for its workers, which are counted before they start.
package collect

import (
	"sync"
	"time"
)

// Squares asks for the squares of numbers, slowly, and returns their sum.
func Squares(numbers []int) int {
	var wg sync.WaitGroup
	var mu sync.Mutex
	sum := 0
	for _, n := range numbers {
		wg.Add(1)
		go func() {
			defer wg.Done()
			time.Sleep(time.Duration(n) * time.Second)
			mu.Lock()
			defer mu.Unlock()
			sum += n * n
		}()
	}
	wg.Wait()
	mu.Lock()
	defer mu.Unlock()
	return sum
}
