package detect

import (
	"slices"

	"github.com/coopvet/coop/runner/sched"
)

// locks knows which locks each task holds.
type locks struct {
	held  [][]heldLock // by task
	known [][2]setID   // by task, what at returned for a read and for a write; unknown
	state map[uintptr]lockState
	taken map[uintptr]sched.Site // where a lock was taken last
	sets  lockSets
}

type heldLock struct {
	obj     uintptr
	reading bool // held by RLock
}

type lockState struct{ writers, readers int32 }

func (l *locks) begin() {
	if l.state == nil {
		l.state, l.taken = make(map[uintptr]lockState), make(map[uintptr]sched.Site)
	}
	clear(l.state)
	clear(l.taken)
	l.held, l.known = l.held[:0], l.known[:0]
	l.sets.begin()
}

func (l *locks) spawn(id sched.TaskID) {
	for int(id) >= len(l.held) {
		if len(l.held) < cap(l.held) {
			l.held = l.held[:len(l.held)+1]
		} else {
			l.held = append(l.held, nil)
		}
		l.held[len(l.held)-1] = l.held[len(l.held)-1][:0]
		l.known = append(l.known, [2]setID{unknown, unknown})
	}
}

// perform takes note of an operation on a lock. What it says of a lock that is held
// since an earlier trial may be wrong: that TryLock succeeds. Then a task seems to hold
// more than it does.
func (l *locks) perform(id sched.TaskID, op *sched.Op) {
	s := l.state[op.Object]
	switch op.Kind {
	case sched.TryLock, sched.TryWLock:
		if s.writers+s.readers > 0 {
			return
		}
		fallthrough
	case sched.Lock, sched.WLock:
		s.writers++
		l.held[id] = append(l.held[id], heldLock{op.Object, false})
		l.taken[op.Object] = op.Site
	case sched.TryRLock:
		if s.writers > 0 {
			return
		}
		fallthrough
	case sched.RLock:
		s.readers++
		l.held[id] = append(l.held[id], heldLock{op.Object, true})
		l.taken[op.Object] = op.Site
	case sched.Unlock, sched.WUnlock:
		s.writers = max(0, s.writers-1)
		l.drop(id, op.Object, false)
	case sched.RUnlock:
		s.readers = max(0, s.readers-1)
		l.drop(id, op.Object, true)
	default:
		return
	}
	l.state[op.Object] = s
	l.known[id] = [2]setID{unknown, unknown}
}

// drop notes that id releases a lock, which another task may have taken.
func (l *locks) drop(id sched.TaskID, obj uintptr, reading bool) {
	if l.dropOf(id, obj, reading) {
		return
	}
	for i := range l.held {
		if l.dropOf(sched.TaskID(i), obj, reading) {
			return
		}
	}
}

func (l *locks) dropOf(id sched.TaskID, obj uintptr, reading bool) bool {
	h := l.held[id]
	for i := len(h) - 1; i >= 0; i-- {
		if h[i].obj == obj && h[i].reading == reading {
			l.held[id] = append(h[:i], h[i+1:]...)
			l.known[id] = [2]setID{unknown, unknown}
			return true
		}
	}
	return false
}

// at returns the locks that id holds in the way an access needs: a write exclusively.
func (l *locks) at(id sched.TaskID, write bool) setID {
	known := &l.known[id][0]
	if write {
		known = &l.known[id][1]
	}
	if *known != unknown {
		return *known
	}
	b := l.sets.buf[:0]
	for _, h := range l.held[id] {
		if !(h.reading && write) && !slices.Contains(b, h.obj) {
			b = append(b, h.obj)
		}
	}
	slices.Sort(b)
	l.sets.buf = b
	*known = l.sets.id(b)
	return *known
}

// setID is a set of locks, by the number that lockSets has given to it.
type setID int32

const (
	noLocks setID = 0
	unknown setID = -1 // not computed
)

// lockSets numbers sets of locks, as Eraser does (Savage et al., TOCS 1997, section
// 3.2): there are few, and their intersections are remembered.
type lockSets struct {
	sets   []lockSet
	first  map[uint64]setID // by hash, the last set that was added with it
	common map[[2]setID]setID
	buf    []uintptr
}

type lockSet struct {
	locks []uintptr // in ascending order
	next  setID     // another set with the same hash; 0: none
}

func (s *lockSets) begin() {
	if s.common == nil {
		s.common, s.first = make(map[[2]setID]setID), make(map[uint64]setID)
	}
	clear(s.common)
	clear(s.first)
	s.sets = s.sets[:0]
	s.add(nil)
}

func (s *lockSets) add(set []uintptr) setID {
	n := len(s.sets)
	if n < cap(s.sets) {
		s.sets = s.sets[:n+1]
	} else {
		s.sets = append(s.sets, lockSet{})
	}
	s.sets[n].locks = append(s.sets[n].locks[:0], set...)
	return setID(n)
}

// id returns the number of a sorted set.
func (s *lockSets) id(set []uintptr) setID {
	if len(set) == 0 {
		return noLocks
	}
	h := uint64(0)
	for _, l := range set {
		h = sched.Mix(h ^ uint64(l))
	}
	first := s.first[h]
	for i := first; i != 0; i = s.sets[i].next {
		if slices.Equal(s.sets[i].locks, set) {
			return i
		}
	}
	i := s.add(set)
	s.sets[i].next = first
	s.first[h] = i
	return i
}

// meet returns the intersection of two sets.
func (s *lockSets) meet(a, b setID) setID {
	switch {
	case a == b:
		return b
	case a == noLocks || b == noLocks:
		return noLocks
	}
	k := [2]setID{a, b}
	if m, ok := s.common[k]; ok {
		return m
	}
	buf := s.buf[:0]
	for _, l := range s.sets[a].locks {
		if slices.Contains(s.sets[b].locks, l) {
			buf = append(buf, l)
		}
	}
	s.buf = buf
	m := s.id(buf)
	s.common[k] = m
	return m
}
