package lock

import "sync"

type store struct {
	mu    sync.RWMutex
	items map[string]int
	count int
	name  string
	limit int
	hits  int
}

func New() *store {
	s := &store{items: make(map[string]int), name: "store"}
	s.reset()
	return s
}

// reset is only called for new stores.
func (s *store) reset() { s.count = 0 }

func (s *store) Put(key string, v int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.items[key] = v
	s.count++
}

func (s *store) Get(key string) int {
	s.mu.RLock()
	defer s.mu.RUnlock()
	s.hits++ // want `store.hits is written while s.mu is held for reading only, as other goroutines may hold it`
	return s.items[key]
}

func (s *store) Drop(key string) {
	s.mu.Lock()
	s.drop(key)
	s.mu.Unlock()
}

// drop is called by Drop and Clear.
func (s *store) drop(key string) {
	delete(s.items, key)
	s.count--
}

func (s *store) Clear() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for key := range s.items {
		s.drop(key)
	}
	s.count = 0
}

func (s *store) Count() int {
	return s.count // want `store.count is read without mu, which is held elsewhere`
}

func (s *store) Name() string { return s.name }

func (s *store) Add(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.limit += n
}

func (s *store) Limit() int {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.limit
}

func (s *store) Double() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.limit *= 2
}

func (s *store) SetLimit(n int, check func(int) bool) {
	if check(n) {
		s.limit = n // want `store.limit is written without mu, which is held elsewhere`
	}
}

// countLocked is called with the lock held.
func (s *store) countLocked() int { return s.count }

// Drain takes the map away and is alone with it.
func (s *store) Drain() (n int) {
	s.mu.Lock()
	items := s.items
	s.items = make(map[string]int)
	s.mu.Unlock()
	for range items {
		n++
	}
	return n
}

// base is embedded where other rules hold.
type base struct {
	mu sync.Mutex
	n  int
}

type guarded struct{ base }

func (g *guarded) A() { g.mu.Lock(); g.n++; g.mu.Unlock() }
func (g *guarded) B() { g.mu.Lock(); g.n--; g.mu.Unlock() }
func (g *guarded) C() { g.mu.Lock(); g.n = 0; g.mu.Unlock() }

type single struct{ base }

func (s *single) A() { s.n++ }

type registry struct {
	mu    sync.Mutex
	conns map[string]int
}

func (r *registry) add(name string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.conns[name]++
}

func (r *registry) remove(name string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.conns, name)
}

func (r *registry) count() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.conns)
}

func (r *registry) reset() { r.conns = make(map[string]int) }

// Take has the map for itself.
func (r *registry) Take() (n int) {
	r.mu.Lock()
	conns := r.conns
	r.reset()
	r.mu.Unlock()
	for range conns {
		n++
	}
	return n
}

func (r *registry) Sum() (n int) {
	r.mu.Lock()
	conns := r.conns
	r.mu.Unlock()
	for _, m := range conns { // want `map registry.conns is read without mu, which is held elsewhere`
		n += m
	}
	return n
}
