// Package buffer is a bounded buffer with a lock and two conditions.
package buffer

import "sync"

// Buffer holds up to a fixed number of values.
type Buffer[T any] struct {
	mu       sync.Mutex
	notEmpty *sync.Cond
	notFull  *sync.Cond
	ring     []T
	first, n int
	closed   bool
}

// New returns a buffer for size values.
func New[T any](size int) *Buffer[T] {
	b := &Buffer[T]{ring: make([]T, size)}
	b.notEmpty, b.notFull = sync.NewCond(&b.mu), sync.NewCond(&b.mu)
	return b
}

// Put adds v when there is room.
func (b *Buffer[T]) Put(v T) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for b.n == len(b.ring) {
		b.notFull.Wait()
	}
	b.ring[(b.first+b.n)%len(b.ring)] = v
	b.n++
	b.notEmpty.Signal()
}

// Get takes the oldest value; ok is false when the buffer is empty and closed.
func (b *Buffer[T]) Get() (v T, ok bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for b.n == 0 && !b.closed {
		b.notEmpty.Wait()
	}
	if b.n == 0 {
		return v, false
	}
	v = b.ring[b.first]
	b.first = (b.first + 1) % len(b.ring)
	b.n--
	b.notFull.Signal()
	return v, true
}

// Close says that nothing more will be put.
func (b *Buffer[T]) Close() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.closed = true
	b.notEmpty.Broadcast()
}
