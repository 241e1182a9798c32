// Package eventbus calls its handlers with the lock held that a handler needs to remove itself.
//
// Expect: deadlock
package eventbus

import "sync"

// A Bus calls its handlers at each event.
type Bus struct {
	mu       sync.Mutex
	handlers map[string]func()
}

// New returns a bus without handlers.
func New() *Bus { return &Bus{handlers: make(map[string]func())} }

// On sets a handler.
func (b *Bus) On(name string, handler func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.handlers[name] = handler
}

// Off removes a handler.
func (b *Bus) Off(name string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.handlers, name)
}

// Emit calls all handlers.
func (b *Bus) Emit() {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, handler := range b.handlers {
		handler()
	}
}
