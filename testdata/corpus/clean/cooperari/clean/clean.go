// Package clean looks at an event's count and waits for the event in one critical section, in a loop.
package clean

import "sync"

// An Event counts its signals.
type Event struct {
	mu    sync.Mutex
	cond  sync.Cond
	count int
}

// NewEvent returns an event without signals.
func NewEvent() *Event {
	e := new(Event)
	e.cond.L = &e.mu
	return e
}

// Signal counts a signal and wakes those who wait.
func (e *Event) Signal() {
	e.mu.Lock()
	e.count++
	e.cond.Broadcast()
	e.mu.Unlock()
}

// Await returns when there are more signals than seen.
func (e *Event) Await(seen int) {
	e.mu.Lock()
	for e.count == seen {
		e.cond.Wait()
	}
	e.mu.Unlock()
}
