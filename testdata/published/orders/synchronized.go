package orders

import "sync"

// synchronized is what Collections.synchronizedList and synchronizedSet make of a
// collection, and Vector: every method has the lock, but an iterator has it only if it
// is Vector's, during each of its own methods.
type synchronized struct {
	mu     sync.Mutex
	c      collection
	vector bool
}

func (s *synchronized) add(x int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.c.add(x)
}

func (s *synchronized) remove(x int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.c.remove(x)
}

func (s *synchronized) contains(x int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.c.contains(x)
}

func (s *synchronized) clear() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.c.clear()
}

func (s *synchronized) toArray() []int {
	s.mu.Lock()
	defer s.mu.Unlock()
	elements, _ := toArray(s.c)
	return elements
}

func (s *synchronized) iterator() iterator {
	i := s.c.iterator()
	if s.vector {
		return &vectorIterator{s, i}
	}
	return i
}

func (s *synchronized) addAll(o *synchronized) {
	s.mu.Lock()
	defer s.mu.Unlock()
	addAll(s.c, o.toArray())
}

func (s *synchronized) removeAll(o *synchronized) {
	s.mu.Lock()
	defer s.mu.Unlock()
	elements, _ := toArray(s.c)
	for _, x := range elements {
		if o.contains(x) {
			s.c.remove(x)
		}
	}
}

// containsAll fails if o is modified meanwhile: nothing locks it.
func (s *synchronized) containsAll(o *synchronized) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, err := containsAll(s.c, o.iterator())
	return err
}

// vectorIterator is that of Vector, whose methods have the lock.
type vectorIterator struct {
	s *synchronized
	i iterator
}

func (v *vectorIterator) more() bool {
	v.s.mu.Lock()
	defer v.s.mu.Unlock()
	return v.i.more()
}

func (v *vectorIterator) next() (int, error) {
	v.s.mu.Lock()
	defer v.s.mu.Unlock()
	return v.i.next()
}
