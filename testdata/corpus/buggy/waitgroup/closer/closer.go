// Package closer starts the goroutine that waits and closes the channel before it starts the senders.
//
// Expect: panic|fail
package closer

import "sync"

// Squares sends the squares of the numbers in any order and closes the channel.
func Squares(numbers ...int) <-chan int {
	out := make(chan int, len(numbers))
	var wg sync.WaitGroup
	go func() {
		wg.Wait()
		close(out)
	}()
	for _, n := range numbers {
		wg.Go(func() { out <- n * n })
	}
	return out
}
