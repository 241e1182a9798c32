// Package timeoutleak gives up after a timeout and leaves the worker alone with a send that nobody receives.
//
// Expect: leak
package timeoutleak

import (
	"errors"
	"sync"
	"time"
)

// A Backend serves one call at a time, each within a millisecond.
type Backend struct{ mu sync.Mutex }

func (b *Backend) work() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	time.Sleep(time.Millisecond)
	return 42
}

// Call asks the backend, but waits no longer than timeout.
func (b *Backend) Call(timeout time.Duration) (int, error) {
	result := make(chan int)
	go func() { result <- b.work() }()
	select {
	case v := <-result:
		return v, nil
	case <-time.After(timeout):
		return 0, errors.New("timeout")
	}
}
