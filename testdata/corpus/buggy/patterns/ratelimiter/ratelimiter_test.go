package ratelimiter

import (
	"sync"
	"testing"
	"time"
)

func TestLimiter(t *testing.T) {
	l := New(1, time.Hour)
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() { l.Allow() })
	}
	wg.Wait()
	l.Close()
	if n := l.tokens.Load(); n < 0 {
		t.Errorf("%d tokens left", n)
	}
}
