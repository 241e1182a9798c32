// Package pullshared calls the next function of an iter.Pull under a lock.
package pullshared

import (
	"iter"
	"sync"
)

// IDs hands out consecutive numbers.
type IDs struct {
	mu   sync.Mutex
	last int
	next func() (int, bool)
	stop func()
}

// New returns a source of numbers from 1.
func New() *IDs {
	ids := new(IDs)
	ids.next, ids.stop = iter.Pull(ids.all)
	return ids
}

func (ids *IDs) all(yield func(int) bool) {
	for {
		ids.last++
		if !yield(ids.last) {
			return
		}
	}
}

// Next returns the next number.
func (ids *IDs) Next() int {
	ids.mu.Lock()
	defer ids.mu.Unlock()
	id, _ := ids.next()
	return id
}

// Close must be called at the end.
func (ids *IDs) Close() { ids.stop() }
