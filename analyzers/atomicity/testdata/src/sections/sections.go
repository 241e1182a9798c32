package sections

import "sync"

type session struct{ user string }

type sessions struct {
	mu     sync.RWMutex
	byUser map[string]*session
	open   int
	limit  int
}

func (s *sessions) get(user string) *session {
	s.mu.RLock()
	found := s.byUser[user]
	s.mu.RUnlock()
	if found == nil {
		s.mu.Lock()
		found = &session{user}
		s.byUser[user] = found // want `s.byUser is written although the condition was read before s.mu was released: it may have changed`
		s.mu.Unlock()
	}
	return found
}

func (s *sessions) getAgain(user string) *session {
	s.mu.RLock()
	found := s.byUser[user]
	s.mu.RUnlock()
	if found == nil {
		s.mu.Lock()
		if found = s.byUser[user]; found == nil {
			found = &session{user}
			s.byUser[user] = found
		}
		s.mu.Unlock()
	}
	return found
}

func (s *sessions) getOne(user string) *session {
	s.mu.Lock()
	defer s.mu.Unlock()
	found := s.byUser[user]
	if found == nil {
		found = &session{user}
		s.byUser[user] = found
	}
	return found
}

// The write does not depend on the read.
func (s *sessions) put(user string) bool {
	s.mu.RLock()
	found := s.byUser[user]
	s.mu.RUnlock()
	s.mu.Lock()
	s.byUser[user] = &session{user}
	s.mu.Unlock()
	return found == nil
}

func (s *sessions) dial() bool {
	s.mu.Lock()
	if s.open == s.limit {
		s.mu.Unlock()
		return false
	}
	s.mu.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.open++ // want `s.open is written although the condition was read`
	return true
}

func (s *sessions) dialReserved() bool {
	s.mu.Lock()
	if s.open == s.limit {
		s.mu.Unlock()
		return false
	}
	s.open++
	s.mu.Unlock()
	s.mu.Lock()
	s.open--
	s.mu.Unlock()
	return true
}

type account struct {
	mu      sync.Mutex
	balance int
}

func (a *account) get() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.balance
}

func (a *account) withdraw(amount int) bool {
	if a.get() < amount {
		return false
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.balance -= amount // want `a.balance is written although the condition was read in a call that has released a.mu: it may have changed`
	return true
}

func (a *account) withdrawLocked(amount int) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.balance < amount {
		return false
	}
	a.balance -= amount
	return true
}

func (a *account) from(b *account) {
	if b.get() < 10 {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.balance += 10
}

type queue struct {
	mu      sync.Mutex
	cond    sync.Cond
	items   []int
	pending map[int]bool
	done    map[int]bool
	err     error
}

// Who waits is the only consumer.
func (q *queue) consume() {
	q.mu.Lock()
	for len(q.items) == 0 {
		q.cond.Wait()
	}
	item := q.items[0]
	q.mu.Unlock()
	println(item)
	q.mu.Lock()
	q.items = q.items[1:]
	q.mu.Unlock()
}

// The first section keeps others out.
func (q *queue) reserved(i int) {
	q.mu.Lock()
	if q.done[i] || q.pending[i] {
		q.mu.Unlock()
		return
	}
	q.pending[i] = true
	q.mu.Unlock()
	q.mu.Lock()
	q.done[i] = true
	q.mu.Unlock()
}

func (q *queue) unreserved(i int) {
	q.mu.Lock()
	if q.done[i] {
		q.mu.Unlock()
		return
	}
	q.mu.Unlock()
	q.mu.Lock()
	q.done[i] = true // want `q.done is written although the condition was read`
	q.mu.Unlock()
}

// A second deletion does no harm.
func (q *queue) forget(i int) {
	q.mu.Lock()
	known := q.done[i]
	q.mu.Unlock()
	if known {
		q.mu.Lock()
		delete(q.done, i)
		q.mu.Unlock()
	}
}

// Another lock is held all the way.
type twoLocks struct {
	outer, mu sync.Mutex
	done      map[int]bool
}

func (t *twoLocks) once(i int) {
	t.outer.Lock()
	defer t.outer.Unlock()
	t.mu.Lock()
	done := t.done[i]
	t.mu.Unlock()
	if !done {
		t.mu.Lock()
		t.done[i] = true
		t.mu.Unlock()
	}
}

// Another kind of lock, one for each key.
type keyed struct{}

func (*keyed) Lock(key string)   {}
func (*keyed) Unlock(key string) {}

type byKey struct {
	keys keyed
	mu   sync.Mutex
	m    map[string]int
}

func (b *byKey) get(key string) int {
	b.keys.Lock(key)
	defer b.keys.Unlock(key)
	b.mu.Lock()
	v, ok := b.m[key]
	b.mu.Unlock()
	if !ok {
		v = len(key)
		b.mu.Lock()
		b.m[key] = v
		b.mu.Unlock()
	}
	return v
}
