// Package testmain has a global that TestMain sets up and goroutines of a test change under a lock.
package testmain

import "sync"

// Limits says how much a user may store.
type Limits struct {
	mu    sync.Mutex
	bytes map[string]int
}

// Raise adds to a user's limit.
func (l *Limits) Raise(user string, bytes int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.bytes[user] += bytes
}

// Set sets a user's limit.
func (l *Limits) Set(user string, bytes int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.bytes[user] = bytes
}

// Get returns a user's limit.
func (l *Limits) Get(user string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.bytes[user]
}
