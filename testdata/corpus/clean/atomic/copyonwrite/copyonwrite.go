// Package copyonwrite replaces its snapshot by compare-and-swap and tries again when it has changed.
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
	for {
		p := s.snapshot.Load()
		var names []string
		if p != nil {
			names = append(names, *p...)
		}
		names = append(names, name)
		if s.snapshot.CompareAndSwap(p, &names) {
			return
		}
	}
}
