// Package earlyreturn returns with the lock held when the stock is too small.
//
// Expect: deadlock
package earlyreturn

import "sync"

// A Stock counts goods.
type Stock struct {
	mu   sync.Mutex
	left int
}

// Take reports whether there were enough goods.
func (s *Stock) Take(n int) bool {
	s.mu.Lock()
	if s.left < n {
		return false
	}
	s.left -= n
	s.mu.Unlock()
	return true
}

// Put adds goods.
func (s *Stock) Put(n int) {
	s.mu.Lock()
	s.left += n
	s.mu.Unlock()
}
