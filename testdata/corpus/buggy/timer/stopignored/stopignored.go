// Package stopignored stops a timer and ignores that its function may already be running.
//
// Expect: panic
package stopignored

import (
	"errors"
	"sync"
	"time"
)

// ErrExpired says that a session was idle for too long.
var ErrExpired = errors.New("session expired")

type conn struct{ sent int }

// A Session loses its connection when it is idle.
type Session struct {
	mu    sync.Mutex
	conn  *conn
	timer *time.Timer
}

// New returns a session that expires after the given time.
func New(idle time.Duration) *Session {
	s := &Session{conn: new(conn)}
	s.timer = time.AfterFunc(idle, s.expire)
	return s
}

func (s *Session) expire() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.conn = nil
}

// Send returns ErrExpired if it comes too late.
func (s *Session) Send() error {
	s.timer.Stop()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.conn.sent++
	return nil
}
