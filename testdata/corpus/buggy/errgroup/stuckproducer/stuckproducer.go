// Package stuckproducer cancels the consumer after another task's error, but its producer goes on sending without a look at the context.
//
// Expect: deadlock
package stuckproducer

import (
	"context"
	"sync"
)

// A Group runs functions and cancels its context at the first error.
type Group struct {
	wg     sync.WaitGroup
	once   sync.Once
	cancel context.CancelFunc
	err    error
}

// WithContext returns a group and its context.
func WithContext(ctx context.Context) (*Group, context.Context) {
	ctx, cancel := context.WithCancel(ctx)
	return &Group{cancel: cancel}, ctx
}

// Go runs f in a goroutine.
func (g *Group) Go(f func() error) {
	g.wg.Go(func() {
		if err := f(); err != nil {
			g.once.Do(func() {
				g.err = err
				g.cancel()
			})
		}
	})
}

// Wait waits for all functions and returns the first error.
func (g *Group) Wait() error {
	g.wg.Wait()
	g.cancel()
	return g.err
}

// Sum adds up 0 to n-1 in one goroutine that gets the numbers from another, while
// check runs.
func Sum(n int, check func() error) (sum int, err error) {
	g, ctx := WithContext(context.Background())
	numbers := make(chan int)
	g.Go(func() error {
		defer close(numbers)
		for i := range n {
			numbers <- i
		}
		return nil
	})
	g.Go(func() error {
		for {
			select {
			case i, ok := <-numbers:
				if !ok {
					return nil
				}
				sum += i
			case <-ctx.Done():
				return ctx.Err()
			}
		}
	})
	g.Go(check)
	err = g.Wait()
	return sum, err
}
