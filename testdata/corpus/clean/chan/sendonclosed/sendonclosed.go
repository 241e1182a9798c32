// Package sendonclosed checks and sends under a read lock that excludes Close.
package sendonclosed

import "sync"

// A Feed carries events until it is closed.
type Feed struct {
	mu     sync.RWMutex
	closed bool
	events chan int
}

// New returns a feed with room for n events.
func New(n int) *Feed { return &Feed{events: make(chan int, n)} }

// Publish drops the event if the feed is closed.
func (f *Feed) Publish(event int) {
	f.mu.RLock()
	defer f.mu.RUnlock()
	if !f.closed {
		f.events <- event
	}
}

// Close ends the feed.
func (f *Feed) Close() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.closed = true
	close(f.events)
}
