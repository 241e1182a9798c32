// Package timeoutleak has room for the result of a worker that nobody waits for.
package timeoutleak

import (
	"errors"
	"sync"
	"time"
)

// A Backend serves one call at a time, each within a millisecond.
type Backend struct {
	mu    sync.Mutex
	calls sync.WaitGroup
}

func (b *Backend) work() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	time.Sleep(time.Millisecond)
	return 42
}

// Call asks the backend, but waits no longer than timeout.
func (b *Backend) Call(timeout time.Duration) (int, error) {
	result := make(chan int, 1)
	b.calls.Go(func() { result <- b.work() })
	select {
	case v := <-result:
		return v, nil
	case <-time.After(timeout):
		return 0, errors.New("timeout")
	}
}

// Close waits for calls that were given up.
func (b *Backend) Close() { b.calls.Wait() }
