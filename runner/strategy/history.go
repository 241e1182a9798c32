package strategy

import "github.com/coopvet/coop/runner/sched"

// history is Cooperari's history-dependent coverage policy: E. Marques, F. Martins and
// M. Simões, Cooperari: A Tool for Cooperative Testing of Multithreaded Java Programs,
// PPPJ 2014; in Simões's thesis section 4.3.3. The abstract state is the multiset of the
// places that the enabled tasks are at. In a state, a place is preferred from which no
// task has been picked yet in that state; if there is none, the choice is uniform.
//
// Departures:
//
//   - A place is the kind and site of the pending operation and the spawn path of the
//     task's parent, where the paper has the whole stack, which costs many times a step
//     to capture. A stack also tells through which calls of one goroutine a shared
//     function was entered. The parent's path tells goroutines of different
//     families apart and, like the stack, not those that one loop has started.
//   - Among the places not yet tried one is drawn, where the paper takes the first.
//   - A history holds for a block of trials, where the paper has one for a test, of
//     at most 1000 trials.
//
// It is fair with probability 1: a loop comes back to its states, until everything has
// been tried in them.
type history struct {
	rand   *sched.Rand
	pilot  bool
	onward Onward   // of the pilot
	path   []uint64 // by task: its spawn path
	place  []uint64 // by task: hash of where it is
	state  uint64   // sum of the hashes of the places of the enabled tasks
	tried  set      // of hashes of (state, place)
}

// historyBlock is the number of trials that share a history.
const historyBlock = 1024

func (h *history) Block() int { return historyBlock }

func (h *history) Begin(info sched.TrialInfo) {
	h.rand, h.pilot, h.onward = info.Rand, info.Trial == sched.PilotTrial, Onward{}
	h.path, h.place, h.state = h.path[:0], h.place[:0], 0
	if info.Trial%historyBlock == 0 {
		h.tried.clear()
	}
}

func (h *history) Enabled(t *sched.Task) {
	for int(t.ID) >= len(h.place) {
		h.place = append(h.place, 0)
		h.path = append(h.path, 0)
	}
	h.path[t.ID] = t.Path
	h.place[t.ID] = h.placeOf(t)
	h.state += h.place[t.ID]
}

func (h *history) Disabled(t *sched.Task) { h.state -= h.place[t.ID] }

// placeOf hashes where t is. The hash is mixed, so that sums tell multisets apart.
func (h *history) placeOf(t *sched.Task) uint64 {
	family := uint64(0)
	if t.Parent >= 0 && int(t.Parent) < len(h.path) {
		family = h.path[t.Parent]
	}
	return sched.Mix(family ^ uint64(t.Pending.Kind)<<32 ^ uint64(t.Pending.Site))
}

func (h *history) Pick(enabled []*sched.Task, last sched.TaskID) sched.TaskID {
	if t := find(enabled, last); t != nil { // with its next operation
		h.state -= h.place[last]
		h.place[last] = h.placeOf(t)
		h.state += h.place[last]
	}
	switch {
	case len(enabled) == 1:
		return enabled[0].ID
	case h.pilot:
		return h.onward.Pick(enabled, last)
	}
	first := h.rand.IntN(len(enabled))
	before := uint64(0)
	for i := range enabled {
		if i += first; i >= len(enabled) {
			i -= len(enabled)
		}
		id := enabled[i].ID
		p := h.place[id]
		if p != before && h.tried.add(sched.Mix(h.state^p)) {
			return id
		}
		before = p
	}
	return enabled[h.rand.IntN(len(enabled))].ID
}

// set is a set of hashes, of limited size.
type set struct {
	slots []uint64 // open addressing; 0 is empty
	n     int
}

const maxSet = 1 << 19

func (s *set) clear() {
	clear(s.slots)
	s.n = 0
}

// add reports whether x is new. A full set takes everything for new: then the history
// is a random walk.
func (s *set) add(x uint64) bool {
	if 2*s.n >= len(s.slots) {
		if len(s.slots) == maxSet {
			return true
		}
		s.grow()
	}
	x |= 1
	for i := x >> 1 % uint64(len(s.slots)); ; i = (i + 1) % uint64(len(s.slots)) {
		switch s.slots[i] {
		case x:
			return false
		case 0:
			s.slots[i] = x
			s.n++
			return true
		}
	}
}

func (s *set) grow() {
	old := s.slots
	s.slots, s.n = make([]uint64, max(1<<10, 2*len(old))), 0
	for _, x := range old {
		if x != 0 {
			s.add(x)
		}
	}
}
