// Package leakedmap returns a copy of its guarded map.
package leakedmap

import (
	"maps"
	"sync"
)

// Scores counts points per player.
type Scores struct {
	mu     sync.Mutex
	points map[string]int
}

// New returns scores without points.
func New() *Scores { return &Scores{points: make(map[string]int)} }

// Add gives points to a player.
func (s *Scores) Add(player string, points int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.points[player] += points
}

// Snapshot returns the points of all players.
func (s *Scores) Snapshot() map[string]int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return maps.Clone(s.points)
}
