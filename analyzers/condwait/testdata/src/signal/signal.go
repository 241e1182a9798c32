package signal

import "sync"

type slot struct {
	mu   sync.Mutex
	cond sync.Cond
	full bool
	v    int
}

func (s *slot) put(v int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.full {
		s.cond.Wait()
	}
	s.v, s.full = v, true
	s.cond.Signal() // want `Signal of cond may wake a goroutine that waits for another condition, and the one that could go on is not woken`
}

func (t *slot) take() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	for !t.full {
		t.cond.Wait()
	}
	t.full = false
	t.cond.Signal() // want `Signal of cond may wake`
	return t.v
}

// Two conditions, each with a Cond of its own.
type twoConds struct {
	mu              sync.Mutex
	notFull, notNil sync.Cond
	full            bool
}

func (s *twoConds) put() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.full {
		s.notFull.Wait()
	}
	s.full = true
	s.notNil.Signal()
}

func (s *twoConds) take() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for !s.full {
		s.notNil.Wait()
	}
	s.full = false
	s.notFull.Signal()
}

// All wait for the same, whatever they call it.
type semaphore struct {
	mu   sync.Mutex
	cond sync.Cond
	free int
}

func (s *semaphore) acquire() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.free == 0 {
		s.cond.Wait()
	}
	if s.free--; s.free > 0 {
		s.cond.Signal()
	}
}

func (sem *semaphore) acquireTwo() {
	sem.mu.Lock()
	defer sem.mu.Unlock()
	for sem.free == 0 {
		sem.cond.Wait()
	}
	sem.free--
}

// The one that signals does not wait.
type queue struct {
	mu     sync.Mutex
	cond   sync.Cond
	n      int
	closed bool
}

func (q *queue) put() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.n++
	q.cond.Signal()
}

func (q *queue) get() {
	q.mu.Lock()
	defer q.mu.Unlock()
	for q.n == 0 {
		q.cond.Wait()
	}
	q.n--
}

func (q *queue) drained() {
	q.mu.Lock()
	defer q.mu.Unlock()
	for !q.closed {
		q.cond.Wait()
	}
}

// Broadcast wakes all.
type barrier struct {
	mu    sync.Mutex
	cond  sync.Cond
	phase int
	here  int
}

func (b *barrier) arrive() {
	b.mu.Lock()
	defer b.mu.Unlock()
	for b.here > 3 {
		b.cond.Wait()
	}
	b.here++
	b.cond.Broadcast()
}

func (b *barrier) leave() {
	b.mu.Lock()
	defer b.mu.Unlock()
	for b.here < 3 {
		b.cond.Wait()
	}
	b.here--
	b.cond.Broadcast()
}
