package lockorder // want package:`lockorder.*`

import "sync"

type store struct {
	parser, index, disk sync.Mutex
	a, b                int
}

func (s *store) parse() {
	s.parser.Lock()
	defer s.parser.Unlock()
	s.index.Lock() // want `locks are taken in a cycle: lockorder.store.parser → lockorder.store.index → lockorder.store.disk → lockorder.store.parser`
	defer s.index.Unlock()
	s.a++
}

func (s *store) flush() {
	s.index.Lock()
	defer s.index.Unlock()
	s.write()
}

func (s *store) write() {
	s.disk.Lock()
	defer s.disk.Unlock()
	s.b++
}

func (s *store) reload() {
	s.disk.Lock()
	defer s.disk.Unlock()
	s.parser.Lock()
	defer s.parser.Unlock()
	s.a = s.b
}

// Always in the same order.
type ordered struct{ first, second sync.Mutex }

func (o *ordered) both() {
	o.first.Lock()
	o.second.Lock()
	o.second.Unlock()
	o.first.Unlock()
}

func (o *ordered) bothAgain() {
	o.first.Lock()
	defer o.first.Unlock()
	o.second.Lock()
	defer o.second.Unlock()
}

func (o *ordered) oneByOne() {
	o.second.Lock()
	o.second.Unlock()
	o.first.Lock()
	o.first.Unlock()
}

// Another lock is held in both orders.
type gated struct{ gate, a, b sync.Mutex }

func (g *gated) ab() {
	g.gate.Lock()
	defer g.gate.Unlock()
	g.a.Lock()
	g.b.Lock()
	g.b.Unlock()
	g.a.Unlock()
}

func (g *gated) ba() {
	g.gate.Lock()
	defer g.gate.Unlock()
	g.b.Lock()
	g.a.Lock()
	g.a.Unlock()
	g.b.Unlock()
}

// Readers do not wait for each other.
type readers struct{ a, b sync.RWMutex }

func (r *readers) ab() {
	r.a.RLock()
	r.b.RLock()
	r.b.RUnlock()
	r.a.RUnlock()
}

func (r *readers) ba() {
	r.b.RLock()
	r.a.RLock()
	r.a.RUnlock()
	r.b.RUnlock()
}

// Who holds b for reading does not keep the other from reading.
type halfReaders struct{ a, b sync.RWMutex }

func (r *halfReaders) ab() {
	r.a.Lock()
	r.b.RLock()
	r.b.RUnlock()
	r.a.Unlock()
}

func (r *halfReaders) ba() {
	r.b.RLock()
	r.a.Lock()
	r.a.Unlock()
	r.b.RUnlock()
}

// A goroutine does not hold the locks of the one that starts it.
type starts struct{ a, b sync.Mutex }

func (s *starts) ab() {
	s.a.Lock()
	defer s.a.Unlock()
	s.b.Lock()
	defer s.b.Unlock()
}

func (s *starts) ba() {
	s.b.Lock()
	defer s.b.Unlock()
	go func() {
		s.a.Lock()
		defer s.a.Unlock()
	}()
}

// Who tries does not wait.
type tries struct{ a, b sync.Mutex }

func (s *tries) ab() {
	s.a.Lock()
	defer s.a.Unlock()
	s.b.Lock()
	defer s.b.Unlock()
}

func (s *tries) ba() {
	s.b.Lock()
	defer s.b.Unlock()
	if s.a.TryLock() {
		s.a.Unlock()
	}
}
