// Package upgrade looks again after it has taken the write lock.
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
	if session != nil {
		return session
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.byUser[user] == nil {
		s.byUser[user] = &Session{user}
	}
	return s.byUser[user]
}
