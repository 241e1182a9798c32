// Package resetrace resets a timer only if it could be stopped before.
package resetrace

import "time"

// A Session expires when it is not touched.
type Session struct {
	timer   *time.Timer
	expired chan struct{}
}

// New returns a session that expires after the given time.
func New(idle time.Duration) *Session {
	s := &Session{expired: make(chan struct{})}
	s.timer = time.AfterFunc(idle, func() { close(s.expired) })
	return s
}

// Touch postpones the end of the session unless it has expired.
func (s *Session) Touch(idle time.Duration) {
	if s.timer.Stop() {
		s.timer.Reset(idle)
	}
}
