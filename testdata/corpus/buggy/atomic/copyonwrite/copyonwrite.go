// Package copyonwrite replaces its snapshot by an atomic store, which loses a replacement made since the load.
//
// Expect: fail
package copyonwrite

import "sync/atomic"

// A Set is read without locks; each change replaces the snapshot.
type Set struct{ snapshot atomic.Pointer[[]string] }

// Names returns the current snapshot, which must not be changed.
func (s *Set) Names() []string {
	if p := s.snapshot.Load(); p != nil {
		return *p
	}
	return nil
}

// Add adds a name.
func (s *Set) Add(name string) {
	old := s.Names()
	names := append(old[:len(old):len(old)], name)
	s.snapshot.Store(&names)
}
