package escape

import (
	"slices"

	"golang.org/x/tools/go/ssa"
)

// Transfer of ownership. A goroutine hands memory over when it sends a pointer on a
// channel or gives it to a new goroutine: all that can be reached from the pointer. What
// is in a channel can be reached by nobody until it is received, by one goroutine. So
// if no goroutine can, after it has handed over an object, still find a way to it, then
// the object has one owner at any time, and the owners' accesses are ordered by the
// channels and go statements.
//
// A node is stale if it may be otherwise: a function hands it over and may still use a
// value that leads to it. After the instruction that hands over, a way to the object can
// only begin at a value that has been there before and is used later, in the function
// or in its callers: a value that is computed later is loaded through such a value, or
// comes out of a channel or from an allocation, and then is another object. All that a
// stale node leads to is stale, since what two goroutines have a way to is also where
// one of them can put something for the other to find.
//
// Callers may give one object to a function under two names. So a summary says which
// nodes of the callers' are handed over (moved) and which are used after something has
// been handed over (kept); nodes to which both lead in a caller are stale there.

// transfer is what a function hands over, as far as it is known when it is analysed.
type transfer struct {
	moves  []move
	pairs  []unitPair
	shared []*loc      // known to several goroutines from now on
	inner  []*callSite // of functions of its own unit
}

// move is an instruction by which all that root leads to gets out of hand.
type move struct {
	at   ssa.Instruction
	root *loc
}

// unitPair is what is moved and what is kept by a call.
type unitPair struct{ moved, kept []*loc }

// manyMoved is the number of nodes of which a summary keeps account.
const manyMoved = 64

// handOver notes that i gives the value v to another goroutine.
func (e *engine) handOver(f *function, i ssa.Instruction, v ssa.Value) {
	if e.hasPointers(v.Type()) {
		f.transfer.moves = append(f.transfer.moves, move{i, e.val(f, v)})
	}
}

// share notes that several goroutines may use the value v at any time.
func (e *engine) share(f *function, v ssa.Value) {
	f.transfer.shared = append(f.transfer.shared, e.val(f, v))
}

// handOver adds what the unit of the callee hands over.
func (c *cloner) handOver(u *unit) {
	if len(u.moved) == 0 {
		return
	}
	t := &c.s.frame.transfer
	var p unitPair
	for _, l := range u.moved {
		p.moved = append(p.moved, c.clone(l))
	}
	for _, l := range u.kept {
		p.kept = append(p.kept, c.clone(l))
	}
	if len(p.kept) > 0 {
		t.pairs = append(t.pairs, p)
	}
	t.add(c.s, p.moved)
}

// add notes that a call moves nodes.
func (t *transfer) add(s *callSite, moved []*loc) {
	if !s.precise() {
		t.shared = append(t.shared, moved...)
		return
	}
	for _, l := range moved {
		t.moves = append(t.moves, move{s.at, l})
	}
}

// precise reports whether the call is made once when the frame's goroutine executes at.
func (s *callSite) precise() bool {
	return s.at != nil && s.who == nil && !s.many && !s.later && !s.loose
}

// transfers finds out which nodes of the unit are stale, and what its callers have to
// know.
func (e *engine) transfers(u *unit) {
	near := e.near(u)
	moved := newFrontier(near)
	for _, f := range u.members {
		for _, m := range f.transfer.moves {
			moved.add(m.root)
		}
	}
	for _, f := range u.members { // what one member moves, the calls of all may move
		for _, s := range f.transfer.inner {
			f.transfer.add(s, moved.nodes)
		}
		for _, l := range f.transfer.shared {
			stale(l)
		}
	}
	kept := newFrontier(near)
	for _, f := range u.members {
		e.transfersOf(f, kept)
	}
	for _, f := range u.members {
		for _, l := range f.locs {
			if l.up == nil && l.stale {
				l.stale = false
				stale(l)
			}
		}
	}
	u.moved = slices.DeleteFunc(moved.nodes, func(l *loc) bool { return l.stale })
	u.kept = slices.DeleteFunc(kept.nodes, func(l *loc) bool { return l.stale })
	if len(u.moved) > manyMoved || len(u.moved) > 0 && len(u.kept) > manyMoved {
		for _, l := range u.moved {
			stale(l)
		}
		u.moved = nil
	}
	if len(u.moved) == 0 {
		u.kept = nil
	}
}

// transfersOf marks what f itself uses after it has handed it over.
func (e *engine) transfersOf(f *function, kept *frontier) {
	for _, p := range f.transfer.pairs {
		e.together(p.moved, p.kept)
		for _, l := range p.kept {
			kept.add(l)
		}
	}
	if len(f.transfer.moves) == 0 || f.fn == nil {
		return
	}
	alive := newLive(f.fn, func(v ssa.Value) bool { return e.hasPointers(v.Type()) })
	byInstr := make(map[ssa.Instruction][]*loc)
	var order []ssa.Instruction
	for _, m := range f.transfer.moves {
		if byInstr[m.at] == nil {
			order = append(order, m.at)
		}
		byInstr[m.at] = append(byInstr[m.at], m.root)
	}
	for _, i := range order {
		var after []*loc
		for _, v := range alive.after(i) {
			made, _ := v.(ssa.Instruction)
			after = e.partsUsed(f, v, i, made, after)
		}
		for _, l := range after {
			kept.add(l)
		}
		e.together(byInstr[i], after)
	}
}

// partsUsed appends to list the nodes of v that may be used after i: those of its
// fields, if nothing but the fields' addresses is computed from it. It is another value
// once avoid has been executed.
func (e *engine) partsUsed(f *function, v ssa.Value, i, avoid ssa.Instruction, list []*loc) []*loc {
	n := len(list)
	for _, r := range *v.Referrers() {
		// Where a panic is recovered from comes after all, and so do deferred calls.
		if r.Block() != f.fn.Recover && !defersForOuter(r) && !f.flow.reaches(i, r, avoid) {
			continue
		}
		switch r := r.(type) {
		case *ssa.FieldAddr, *ssa.Field:
			list = e.partsUsed(f, r.(ssa.Value), i, avoid, list)
		case *ssa.DebugRef:
		default:
			return append(list[:n], e.val(f, v))
		}
	}
	return list
}

// together marks as stale to what nodes both of moved and of kept lead.
func (e *engine) together(moved, kept []*loc) {
	away := make(map[*loc]bool)
	fresh := false
	for _, l := range moved {
		follow(l, func(l *loc) bool {
			if away[l] || l.global || l.escaped {
				return false
			}
			away[l] = true
			fresh = fresh || !l.stale
			return true
		})
	}
	if !fresh {
		return // there is nothing to find out
	}
	e.spend(len(away) / 16)
	seen := make(map[*loc]bool)
	for _, l := range kept {
		follow(l, func(l *loc) bool {
			if seen[l] || l.global || l.escaped {
				return false
			}
			seen[l] = true
			l.stale = l.stale || away[l]
			return true
		})
	}
	e.spend(len(seen) / 16)
}

// near returns what the callers of a unit have a way to, other than by receiving it.
func (e *engine) near(u *unit) map[*loc]bool {
	near := make(map[*loc]bool)
	add := func(l *loc) {
		follow(l, func(l *loc) bool {
			if near[l] || l.global || l.escaped {
				return false
			}
			near[l] = true
			return true
		})
	}
	for _, f := range u.members {
		for _, l := range f.params {
			add(l)
		}
		for _, l := range f.free {
			add(l)
		}
	}
	for _, p := range u.pending {
		add(p.fn)
		for _, a := range p.args {
			add(a.loc)
		}
		if p.result != nil {
			add(p.result)
		}
	}
	return near
}

// stale marks all that l leads to.
func stale(l *loc) {
	follow(l, func(l *loc) bool {
		if l.stale || l.global || l.escaped {
			return false
		}
		l.stale = true
		return true
	})
}

// follow visits the nodes to which a goroutine that has l has a way: not what is in
// channels. visit reports whether to go on from a node.
func follow(l *loc, visit func(*loc) bool) {
	work := []*loc{l}
	for len(work) > 0 {
		l := work[len(work)-1].find()
		work = work[:len(work)-1]
		if !visit(l) {
			continue
		}
		for k, f := range l.fields {
			if k != sent {
				work = append(work, f)
			}
		}
		if l.target != nil {
			work = append(work, l.target)
		}
	}
}

// frontier collects the first near nodes on the ways from nodes.
type frontier struct {
	near, seen map[*loc]bool
	nodes      []*loc
}

func newFrontier(near map[*loc]bool) *frontier {
	return &frontier{near: near, seen: make(map[*loc]bool)}
}

func (r *frontier) add(l *loc) {
	follow(l, func(l *loc) bool {
		if r.seen[l] || l.global || l.escaped {
			return false
		}
		r.seen[l] = true
		if r.near[l] {
			r.nodes = append(r.nodes, l)
			return false
		}
		return true
	})
}
