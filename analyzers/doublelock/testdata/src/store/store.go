package store

import "sync"

type Store struct {
	Mu sync.Mutex
	m  map[string]int
}

func (s *Store) Get(key string) int { // want Get:"store.Store.Mu"
	s.Mu.Lock()
	defer s.Mu.Unlock()
	return s.m[key]
}

func (s *Store) Lock()   { s.Mu.Lock() }   // want Lock:`\+.Mu` Lock:"store.Store.Mu"
func (s *Store) Unlock() { s.Mu.Unlock() } // want Unlock:"-.Mu"
