package user

import "store"

func sum(s *store.Store) int {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	return s.Get("a") + s.Get("b") // want `s.Mu is locked by calling Store.Get although it is held` `s.Mu is locked by calling Store.Get although it is held`
}

func byWrapper(s *store.Store) int {
	s.Lock()
	defer s.Unlock()
	return s.Get("a") // want `s.Mu is locked by calling Store.Get although it is held`
}

func after(s *store.Store) int {
	s.Lock()
	s.Unlock()
	return s.Get("a")
}
