// Package resetrace resets a timer whose function is already about to run, which makes it run twice.
//
// Expect: panic
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
	select {
	case <-s.expired:
	default:
		s.timer.Reset(idle)
	}
}
