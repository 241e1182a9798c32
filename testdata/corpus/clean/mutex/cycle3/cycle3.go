// Package cycle3 takes its locks in one order: parser, index, disk.
package cycle3

import "sync"

// A Store has a lock for each of its three parts.
type Store struct {
	parser, index, disk sync.Mutex
	parsed, indexed     int
	written             int
}

// Parse adds to the index.
func (s *Store) Parse() {
	s.parser.Lock()
	defer s.parser.Unlock()
	s.index.Lock()
	defer s.index.Unlock()
	s.parsed++
	s.indexed++
}

// Flush writes the index.
func (s *Store) Flush() {
	s.index.Lock()
	defer s.index.Unlock()
	s.disk.Lock()
	defer s.disk.Unlock()
	s.written = s.indexed
}

// Reload parses what is on disk.
func (s *Store) Reload() {
	s.parser.Lock()
	defer s.parser.Unlock()
	s.disk.Lock()
	defer s.disk.Unlock()
	s.parsed += s.written
}
