// Package clean looks at an event's count and waits for the event in two steps, so that a signal between the two is missed.
//
// Expect: deadlock
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

// Count returns the number of signals so far.
func (e *Event) Count() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.count
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
	if e.Count() == seen {
		e.mu.Lock()
		e.cond.Wait()
		e.mu.Unlock()
	}
}
