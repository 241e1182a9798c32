// Package cancelskipped returns without cancel when the value is already there, and leaves its watcher behind.
//
// Expect: leak
package cancelskipped

import (
	"context"
	"sync"
)

// A Store tells how many watchers it has started.
type Store struct {
	mu      sync.Mutex
	value   string
	watched int
}

// Set sets the value.
func (s *Store) Set(value string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.value = value
}

func (s *Store) get() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.value
}

func (s *Store) watch(ctx context.Context) {
	s.mu.Lock()
	s.watched++
	s.mu.Unlock()
	<-ctx.Done()
}

// GetOr returns the value, or the given one if there is none.
func (s *Store) GetOr(fallback string) string {
	ctx, cancel := context.WithCancel(context.Background())
	go s.watch(ctx)
	if value := s.get(); value != "" {
		return value
	}
	cancel()
	return fallback
}
