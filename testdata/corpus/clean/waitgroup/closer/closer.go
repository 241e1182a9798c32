// Package closer starts the goroutine that waits and closes the channel after it has started the senders.
package closer

import "sync"

// Squares sends the squares of the numbers in any order and closes the channel.
func Squares(numbers ...int) <-chan int {
	out := make(chan int, len(numbers))
	var wg sync.WaitGroup
	for _, n := range numbers {
		wg.Go(func() { out <- n * n })
	}
	go func() {
		wg.Wait()
		close(out)
	}()
	return out
}
