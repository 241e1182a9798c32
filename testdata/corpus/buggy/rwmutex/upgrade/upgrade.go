// Package upgrade drops the read lock before it takes the write lock and does not look again, so that two goroutines create the same entry.
//
// Expect: fail
package upgrade

import "sync"

// A Session belongs to one user.
type Session struct{ user string }

// Sessions creates a session at the first request of a user.
type Sessions struct {
	mu     sync.RWMutex
	byUser map[string]*Session
}

// New returns an empty table of sessions.
func New() *Sessions { return &Sessions{byUser: make(map[string]*Session)} }

// Get returns the one session of a user.
func (s *Sessions) Get(user string) *Session {
	s.mu.RLock()
	session := s.byUser[user]
	s.mu.RUnlock()
	if session == nil {
		s.mu.Lock()
		session = &Session{user}
		s.byUser[user] = session
		s.mu.Unlock()
	}
	return session
}
