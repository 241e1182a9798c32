package kept

import (
	"errors"
	"sync"
)

type file struct {
	mu   sync.Mutex
	size int
}

// grow is called with the lock held, which it lets go of for a while.
func (f *file) grow(allowed func() bool) error {
	if f.size > 10 {
		f.mu.Unlock()
		ok := allowed()
		f.mu.Lock()
		if !ok {
			return errors.New("not allowed")
		}
	}
	f.size++
	return nil
}

// load is the same with a deferred call.
func (f *file) load(allowed func() bool) error {
	if f.size > 10 {
		f.mu.Unlock()
		defer f.mu.Lock()
		if !allowed() {
			return errors.New("not allowed")
		}
	}
	return nil
}
