package detect

import "github.com/coopvet/coop/runner/sched"

// shadow keeps a location for each word of memory that has been accessed, or for each
// byte of a word of which a part has been accessed by itself. Its memory is reused from
// trial to trial.
type shadow struct {
	words     map[uintptr]int32 // by address/8: an index, negative (-i-1) if there is one location a byte from i on
	locations []location
	nodes     []node
}

// location is what has been observed of some bytes of memory in this trial.
type location struct {
	claim   sched.Claim // the classes that the claims of all accesses have in common
	closed  bool        // nothing more is to be found out
	owner   int32       // the first thread
	user    int32       // the first one for which it was no new object
	several bool        // a second thread has accessed it since
	shared  bool        // a second thread has accessed it,
	written bool        // and since then it was written
	raced   bool        // two accesses were in conflict and in no order
	// Two accesses that only locks order were in conflict
	unlocked bool  // and no lock was held at both,
	plain    bool  // and not both atomic
	last     int32 // the accesses: a list of nodes, -1 at its end
}

// node is the last access of a task to a location of its kind and with its locks.
type node struct {
	task   sched.TaskID
	thread int32
	time   uint32 // in Audit.order,
	free   uint32 // and in Audit.unlocked
	site   sched.Site
	kind   sched.Kind
	locks  setID
	stack  int32 // see Audit.stacks
	next   int32
}

const wordBytes = 8

// maxWords bounds the words of one access, such as a copy of a large slice, that are
// looked at.
const maxWords = 4096

func (s *shadow) begin() {
	if s.words == nil {
		s.words = make(map[uintptr]int32)
	}
	clear(s.words)
	s.locations, s.nodes = s.locations[:0], s.nodes[:0]
}

// visit calls f for the locations of size bytes at addr.
func (s *shadow) visit(addr, size uintptr, f func(at int32)) {
	end := addr + size
	for n := 0; addr < end && n < maxWords; n++ {
		word := addr / wordBytes
		next := min((word+1)*wordBytes, end)
		whole := addr%wordBytes == 0 && next-addr == wordBytes
		i, ok := s.words[word]
		switch {
		case !ok && whole:
			i = s.add()
			s.words[word] = i
		case !ok:
			i = s.add()
			for range wordBytes - 1 {
				s.add()
			}
			i = -i - 1
			s.words[word] = i
		case i >= 0 && !whole:
			i = s.split(i)
			s.words[word] = i
		}
		if i >= 0 {
			f(i)
		} else {
			for b := addr; b < next; b++ {
				f(-i - 1 + int32(b%wordBytes))
			}
		}
		addr = next
	}
}

func (s *shadow) add() int32 {
	s.locations = append(s.locations, location{claim: sched.ClaimAny, owner: -1, user: -1, last: -1})
	return int32(len(s.locations) - 1)
}

// split makes eight locations of one and returns their index.
func (s *shadow) split(i int32) int32 {
	old := s.locations[i]
	first := int32(len(s.locations))
	for range wordBytes {
		l := old
		l.last = s.copy(old.last)
		s.locations = append(s.locations, l)
	}
	return -first - 1
}

func (s *shadow) copy(n int32) int32 {
	if n < 0 {
		return n
	}
	c := s.nodes[n]
	c.next = s.copy(c.next)
	s.nodes = append(s.nodes, c)
	return int32(len(s.nodes) - 1)
}

// maxNodes is the number of accesses of a location that are kept.
const maxNodes = 64

// record keeps an access, in place of the last one of its sort by the same task. Too many
// replace one another: then violations are missed.
func (s *shadow) record(l *location, a node) {
	count := 0
	for i := l.last; i >= 0; i = s.nodes[i].next {
		old := &s.nodes[i]
		count++
		if old.task == a.task && old.kind == a.kind && old.locks == a.locks || count == maxNodes {
			a.next = old.next
			*old = a
			return
		}
	}
	a.next = l.last
	s.nodes = append(s.nodes, a)
	l.last = int32(len(s.nodes) - 1)
}
