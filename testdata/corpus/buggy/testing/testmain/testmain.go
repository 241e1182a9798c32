// Package testmain has a global that TestMain sets up and goroutines of a test change without a lock.
//
// Expect: race|fail
package testmain

// Limits says how much a user may store.
type Limits struct{ bytes map[string]int }

// Raise adds to a user's limit.
func (l *Limits) Raise(user string, bytes int) { l.Set(user, l.Get(user)+bytes) }

// Set sets a user's limit.
func (l *Limits) Set(user string, bytes int) { l.bytes[user] = bytes }

// Get returns a user's limit.
func (l *Limits) Get(user string) int { return l.bytes[user] }
