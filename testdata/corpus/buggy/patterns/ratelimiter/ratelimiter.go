// Package ratelimiter looks at the number of tokens and takes one in two steps, so that more events pass than there are tokens.
//
// Expect: fail
package ratelimiter

import (
	"sync/atomic"
	"time"
)

// A Limiter lets a number of events pass at once and one more at each interval.
type Limiter struct {
	tokens     atomic.Int32
	ticker     *time.Ticker
	quit, done chan struct{}
}

// New starts a limiter.
func New(burst int32, interval time.Duration) *Limiter {
	l := &Limiter{ticker: time.NewTicker(interval), quit: make(chan struct{}), done: make(chan struct{})}
	l.tokens.Store(burst)
	go l.refill()
	return l
}

func (l *Limiter) refill() {
	defer close(l.done)
	for {
		select {
		case <-l.ticker.C:
			l.tokens.Add(1)
		case <-l.quit:
			return
		}
	}
}

// Allow reports whether an event may pass now.
func (l *Limiter) Allow() bool {
	if l.tokens.Load() <= 0 {
		return false
	}
	l.tokens.Add(-1)
	return true
}

// Close ends the limiter.
func (l *Limiter) Close() {
	l.ticker.Stop()
	close(l.quit)
	<-l.done
}
