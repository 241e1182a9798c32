// Package stopignored waits for the timer's function and gives up when Stop comes too late.
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
	mu      sync.Mutex
	conn    *conn
	timer   *time.Timer
	expired chan struct{}
}

// New returns a session that expires after the given time.
func New(idle time.Duration) *Session {
	s := &Session{conn: new(conn), expired: make(chan struct{})}
	s.timer = time.AfterFunc(idle, s.expire)
	return s
}

func (s *Session) expire() {
	s.mu.Lock()
	s.conn = nil
	s.mu.Unlock()
	close(s.expired)
}

// Send returns ErrExpired if it comes too late.
func (s *Session) Send() error {
	if !s.timer.Stop() {
		<-s.expired
		return ErrExpired
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.conn.sent++
	return nil
}
