// Package earlyreturn unlocks on every path.
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
	defer s.mu.Unlock()
	if s.left < n {
		return false
	}
	s.left -= n
	return true
}

// Put adds goods.
func (s *Stock) Put(n int) {
	s.mu.Lock()
	s.left += n
	s.mu.Unlock()
}
