// Package sendonclosed checks a closed flag before it sends, but the channel may be closed between the check and the send.
//
// Expect: panic
package sendonclosed

import "sync/atomic"

// A Feed carries events until it is closed.
type Feed struct {
	closed atomic.Bool
	events chan int
}

// New returns a feed with room for n events.
func New(n int) *Feed { return &Feed{events: make(chan int, n)} }

// Publish drops the event if the feed is closed.
func (f *Feed) Publish(event int) {
	if !f.closed.Load() {
		f.events <- event
	}
}

// Close ends the feed.
func (f *Feed) Close() {
	f.closed.Store(true)
	close(f.events)
}
