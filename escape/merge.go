package escape

import "slices"

// Large programs. The graph of a function is copied at each of its calls, so that what one
// caller does with its objects says nothing about those of another. When that becomes too
// much work for a program, the calls of functions with large graphs are told apart no
// more, one function after the other: a unit is merged. All that its callers can reach
// is then taken to be reachable from package-level variables, and becomes one graph with
// the arguments of the calls that are still to come. So it is judged as they are,
// when the whole program is known: by the locks and goroutines of all accesses, whichever
// object they are to. Calls that have been copied before stay what they are.
//
// Calls of unknown functions that a merged unit would leave to its callers are made by a
// goroutine that is not known, with no locks.

// allowance returns the work for which the graph of a unit is still copied when the budget
// has been used up, so that small functions go on to be exact.
func (e *engine) allowance() int { return e.budget / 4000 }

// tellsApart reports whether the call at s of a function of the unit is told apart from others.
func (e *engine) tellsApart(s *callSite, u *unit) bool {
	if u.merged || e.work <= e.budget {
		return !u.merged
	}
	u.copied += u.size
	return u.copied <= e.allowance() && s.frame != e.root
}

// merge makes one graph of the unit's and of those of all its calls to come.
func (e *engine) merge(u *unit) {
	if u.merged {
		return
	}
	u.merged = true
	e.merged += len(u.members)
	for _, f := range u.members {
		for _, l := range f.params {
			e.globalise(l)
		}
		for _, l := range f.free {
			e.globalise(l)
		}
		e.globalise(f.results)
	}
	for _, p := range u.pending {
		e.orphan(p)
	}
	for _, d := range u.deep {
		e.globalise(d.root)
		e.publicDeep = append(e.publicDeep, d)
	}
	u.pending, u.deep, u.moved, u.kept = nil, nil, nil, nil
}

// orphan leaves the call p, of a function that is not known yet, to the program's root.
// There the calls of one value are one.
func (e *engine) orphan(p *pending) {
	e.calls(p, nil)
	e.globalise(p.fn)
	for _, a := range p.args {
		e.globalise(a.loc)
	}
	if p.result != nil {
		e.globalise(p.result)
	}
	q := &pending{fn: p.fn, method: p.method, methods: p.methods, by: p.by, args: p.args, result: p.result, sig: p.sig, known: p.known, streams: p.streams, depth: p.depth}
	q.site = callSite{frame: e.root, spawn: true, many: true, loose: true}
	e.addPending(e.root, q)
}

// globalise makes l, and all that can be reached from it, as public as variables of
// packages.
func (e *engine) globalise(l *loc) {
	mark(l, true, false)
	e.public = append(e.public, l)
}

// publics returns all nodes that can be reached from the variables of packages or from
// what has been merged.
func (e *engine) publics() []*loc {
	seen := make(map[*loc]bool)
	var all []*loc
	for _, g := range e.globalOrder {
		all = reachable(e.globals[g], seen, all)
	}
	for _, l := range e.public {
		all = reachable(l, seen, all)
	}
	return all
}

// spreadPublic adds the deep uses of public memory to all that they reach, when it is
// known what that is. Those by which a location is judged alike are one.
func (e *engine) spreadPublic(k *known) {
	type kind struct {
		write bool
		where realm
		locks int // number in sets
	}
	var sets [][]heldLock
	reached := make(map[kind]map[*loc]bool)
	for i := range e.publicDeep {
		d := &e.publicDeep[i]
		where, locks := k.of(&d.acc)
		n := slices.IndexFunc(sets, func(s []heldLock) bool { return sameLocks(s, locks) })
		if n < 0 {
			n = len(sets)
			sets = append(sets, locks)
		}
		c := kind{d.write, where, n}
		if reached[c] == nil {
			reached[c] = make(map[*loc]bool)
		}
		for _, l := range reachable(d.root, reached[c], nil) {
			e.spend(1)
			if !l.escaped {
				l.accesses = append(l.accesses, d.acc)
			}
		}
	}
}
