package escape

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/coopvet/coop/escape/lockset"
	"github.com/coopvet/coop/escape/syncop"
)

// finish decides about the memory that the callers of a unit cannot reach, and leaves
// to them the rest.
func (e *engine) finish(u *unit) {
	var pendings []*pending
	var deep []deepUse
	for _, f := range u.members {
		deep = append(deep, f.deep...)
		if f.fn == nil {
			break // the root has no callers
		}
		for _, v := range f.params {
			outside(v)
		}
		for _, v := range f.free {
			outside(v)
		}
		outside(f.results)
		pendings = append(pendings, f.pending...)
	}
	u.pending = e.openCalls(pendings)
	known := make(map[*function]int) // of starts
	for _, f := range u.members {
		known[f] = len(f.starts)
	}
	for _, p := range u.pending {
		p.site.behind = p.site.behind || p.site.vague && p.site.frame.vague[p.site.at]
	}
	for _, p := range u.pending {
		if p.site.at != nil {
			p.mayStart()
		}
	}
	for _, f := range u.members {
		e.joins(f)
		u.starts = u.starts || !f.joinsAll()
	}
	for _, p := range u.pending {
		f := p.site.frame
		p.site.behind = p.site.behind || f.mayHaveStarted(f.starts[:known[f]], p.site.at)
		p.site.leaked = p.site.leaked || p.site.at != nil && f.flow.gaveAway(p.site.at)
	}
	e.transfers(u)
	u.deep = e.spread(deep)
	u.size = len(u.pending) + len(u.deep) + len(u.moved) + len(u.kept)
	for _, f := range u.members {
		for _, l := range f.locs {
			if l.up == nil {
				e.noteLost(l)
			}
			if f.recursive && l.up == nil {
				e.repeat(l)
			}
		}
	}
	for _, f := range u.members {
		for _, l := range f.locs {
			if l.up == nil && !l.global && (!l.outside || l.escaped) {
				e.classify(l)
			}
		}
	}
	for _, f := range u.members {
		for _, l := range f.locs {
			if l.up == nil && !l.global && l.outside {
				l.accesses = e.export(l.accesses)
				u.size += 1 + len(l.accesses)
			}
		}
		f.locs, f.values, f.pending, f.deep, f.held, f.same = nil, nil, nil, nil, nil, nil
		f.transfer = transfer{}
	}
}

// repeat says of a node of a recursive function that there may be several of it, and
// that the goroutines that access it may be several: each activation has its own.
func (e *engine) repeat(l *loc) {
	for i := range l.origins {
		l.origins[i].many = l.origins[i].many || l.origins[i].of == nil
	}
	for i := range l.accesses {
		if a := &l.accesses[i]; a.who != nil && !a.who.many {
			t := *a.who
			t.many = true
			a.who = e.thread(t)
		}
	}
}

// outside marks what can be reached from l.
func outside(l *loc) {
	work := []*loc{l}
	for len(work) > 0 {
		l := work[len(work)-1].find()
		work = work[:len(work)-1]
		if l.outside || l.global {
			continue
		}
		l.outside = true
		for _, f := range l.fields {
			work = append(work, f)
		}
		if l.target != nil {
			work = append(work, l.target)
		}
	}
}

// openCalls returns the pending calls whose function the callers may yet determine.
// What such a call is given is within their reach.
func (e *engine) openCalls(all []*pending) []*pending {
	var open []*pending
	for again := true; again; {
		again = false
		for i, p := range all {
			if p == nil || p.fn.find().escaped || !p.open() || p.within != nil && p.within.open() {
				continue
			}
			outside(p.fn)
			for _, a := range p.args {
				outside(a.loc)
			}
			if p.result != nil {
				outside(p.result)
			}
			open = append(open, p)
			all[i] = nil
			again = true
		}
	}
	if len(open) <= manyOpen {
		return open
	}
	for _, p := range open {
		e.giveUp(p)
	}
	return nil
}

// open reports whether the callers may yet determine which functions the call may call.
func (p *pending) open() bool {
	l := p.fn.find()
	return l.outside || l.global
}

// manyOpen is the number of calls of unknown functions that a function may leave to its
// callers, who each have to deal with all of them.
const manyOpen = 64

// spread adds deep uses to the memory that they reach here, and returns those of what
// the callers have.
func (e *engine) spread(uses []deepUse) []deepUse {
	type key struct {
		l     *loc
		write bool
		at    ssa.Instruction
		who   *thread
	}
	done := make(map[key]bool)
	var out []deepUse
	for _, d := range uses {
		work := []*loc{d.root}
		for len(work) > 0 {
			l := work[len(work)-1].find()
			work = work[:len(work)-1]
			k := key{l, d.write, d.acc.at, d.acc.who}
			if done[k] {
				continue
			}
			done[k] = true
			e.spend(1)
			if l.escaped {
				continue // it has been judged
			}
			if l.global { // more may be within its reach when all is known
				e.publicDeep = append(e.publicDeep, deepUse{root: l, write: d.write, acc: d.acc})
				continue
			}
			if l.outside {
				out = append(out, deepUse{root: l, write: d.write, acc: d.acc})
				continue
			}
			l.accesses = append(l.accesses, d.acc)
			for _, f := range l.fields {
				work = append(work, f)
			}
			if l.target != nil {
				work = append(work, l.target)
			}
		}
	}
	return e.mergeDeep(out)
}

// mergeDeep makes one of the deep uses of the same memory in the same goroutine.
func (e *engine) mergeDeep(uses []deepUse) []deepUse {
	type key struct {
		l     *loc
		write bool
		who   *thread
		early bool
	}
	at := make(map[key]int)
	var out []deepUse
	for _, d := range uses {
		d.acc.early = e.stillEarly(&d.acc)
		d.acc.bare = d.acc.bare || d.acc.frame.releasedBefore(d.acc.at)
		k := key{d.root.find(), d.write, d.acc.who, d.acc.early}
		if i, ok := at[k]; ok {
			out[i].acc.locks = common(out[i].acc.locks, d.acc.locks)
			out[i].acc.bare = out[i].acc.bare || d.acc.bare
			continue
		}
		at[k] = len(out)
		out = append(out, d)
	}
	return out
}

// stillEarly reports whether an access comes before any goroutine that its frame's
// function may start.
func (e *engine) stillEarly(a *access) bool {
	if !a.early || a.who != nil || a.frame.recursive {
		return false
	}
	return !(a.vague && a.frame.vague[a.at]) && !a.frame.mayHaveStarted(a.frame.starts, a.at)
}

// mayHaveStarted reports whether a goroutine that is started by one of the given
// instructions of f may run when at is executed.
func (f *function) mayHaveStarted(starts []ssa.Instruction, at ssa.Instruction) bool {
	if _, deferred := at.(*ssa.Defer); deferred {
		return len(starts) > 0
	}
	return slices.ContainsFunc(starts, func(q ssa.Instruction) bool { return f.mayRunAt(q, at, nil) })
}

// startsVaguely notes that at calls a function that may start goroutines, of several that
// it may call.
func (f *function) startsVaguely(at ssa.Instruction) {
	if f.vague == nil {
		f.vague = make(map[ssa.Instruction]bool)
	}
	f.vague[at] = true
}

// mayStart notes that the function that is called may start goroutines.
func (p *pending) mayStart() {
	f := p.site.frame
	f.starts = append(f.starts, p.site.at)
	if p.site.vague {
		f.startsVaguely(p.site.at)
	}
}

// releasedBefore reports whether the function may have released locks of its caller's before
// i.
func (f *function) releasedBefore(i ssa.Instruction) bool {
	if f.locks == nil {
		return false
	}
	_, deferred := i.(*ssa.Defer)
	return slices.ContainsFunc(f.locks.Releasing, func(r ssa.Instruction) bool { return deferred || f.flow.reaches(r, i, nil) })
}

// manyAccesses is the number of different accesses to one location that a summary
// keeps apart.
const manyAccesses = 24

// export makes the accesses to a location what callers need to know of them.
func (e *engine) export(all []access) []access {
	for i := range all {
		a := &all[i]
		a.early = e.stillEarly(a)
		a.leaked = a.leaked || a.frame.flow.gaveAway(a.at)
		a.bare = a.bare || a.frame.releasedBefore(a.at)
		switch a.path.Root.(type) {
		case *ssa.Parameter, *ssa.FreeVar, *ssa.Global:
		default:
			a.path = lockset.Path{}
		}
	}
	out := fold(all, func(a, b *access) bool { return true })
	if len(out) <= 4*manyAccesses {
		return out
	}
	// There are many goroutines. Which ones does not matter then.
	any := e.thread(thread{many: true})
	for i := range out {
		if out[i].who != nil && out[i].group == syncop.None {
			out[i].who = any
		}
	}
	return fold(out, func(a, b *access) bool { return true })
}

// fold makes one of accesses that are alike, as far as alike says the same. When there
// are many, those in one goroutine become one.
func fold(all []access, alike func(a, b *access) bool) []access {
	type key struct {
		write, atomic, deep bool
		who                 *thread
		group               syncop.Kind
		start               ssa.Instruction
	}
	seen := make(map[key][]int)
	var out []access
	for i := range all {
		a := &all[i]
		k := key{a.write, a.atomic, a.deep, a.who, a.group, a.start}
		same := -1
		for _, n := range seen[k] {
			b := &out[n]
			if alike(a, b) && (len(seen[k]) >= manyAccesses || a.early == b.early && a.leaked == b.leaked && a.bare == b.bare && a.vague == b.vague && a.path == b.path && sameLocks(a.locks, b.locks)) {
				same = n
				break
			}
		}
		if same < 0 {
			seen[k] = append(seen[k], len(out))
			out = append(out, *a)
			continue
		}
		b := &out[same]
		b.early = b.early && a.early
		b.leaked = b.leaked || a.leaked
		b.bare = b.bare || a.bare
		b.vague = b.vague || a.vague
		if b.path != a.path {
			b.path = lockset.Path{}
		}
		b.locks = common(b.locks, a.locks)
	}
	return out
}

// evidenceEnough is how many accesses are kept of a location that unknown code can
// reach: its class is known.
const evidenceEnough = 4

func sameLocks(a, b []heldLock) bool {
	return len(a) == len(b) && len(common(a, b)) == len(a)
}

// common returns the locks that are in both lists.
func common(a, b []heldLock) []heldLock {
	var out []heldLock
	for _, l := range a {
		for _, m := range b {
			same := l.lock.find() == m.lock.find()
			if !same && (l.beside == "" || l.beside != m.beside) {
				continue
			}
			n := heldLock{lock: l.lock, reading: l.reading || m.reading, name: l.name}
			n.others = union(l.others, m.others)
			if !same {
				n.lock = &loc{} // not one lock, but one beside each location
				n.others = union(n.others, []*loc{l.lock.find(), m.lock.find()})
			}
			if l.beside == m.beside {
				n.beside = l.beside
			}
			if len(n.others) <= manyLocks {
				out = append(out, n)
			}
			break
		}
	}
	return out
}

// union returns the nodes of both lists.
func union(a, b []*loc) []*loc {
	for _, l := range b {
		if !slices.ContainsFunc(a, func(m *loc) bool { return l.find() == m.find() }) {
			a = append(slices.Clip(a), l)
		}
	}
	return a
}

// assign gives the sites of a location, here and in callees, a class.
func assign(l *loc, c Class) {
	work := []*loc{l}
	for len(work) > 0 {
		l := work[len(work)-1].find()
		work = work[:len(work)-1]
		if l.classes.has(c) {
			continue
		}
		l.classes |= 1 << c
		for _, s := range l.sites {
			s.classes |= 1 << c
		}
		work = append(work, l.inner...)
	}
}
