// Package expiry has a test in a synctest bubble that waits until all its goroutines are blocked.
package expiry

import (
	"sync/atomic"
	"time"
)

// A Token is valid for some time.
type Token struct{ expired atomic.Bool }

// New returns a token that is valid for d.
func New(d time.Duration) *Token {
	t := new(Token)
	time.AfterFunc(d, func() { t.expired.Store(true) })
	return t
}

// Valid reports whether the token is valid.
func (t *Token) Valid() bool { return !t.expired.Load() }
