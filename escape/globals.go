package escape

import (
	"slices"

	"golang.org/x/tools/go/ssa"
)

// realm is where a function may run, for what is known about package-level
// variables: a set of these.
type realm uint8

const (
	starting  realm = 1 << iota // initialisation of packages, before all else
	main                        // the tests, one after the other
	elsewhere                   // a goroutine of its own
)

// globalsOf classifies what can be reached from package-level variables, once the whole
// program is known. For it only three kinds of goroutines are told apart.
func (e *engine) classifyGlobals(roots map[*ssa.Function]realm) {
	k := &known{e.contexts(roots), e.entryLocks(roots)}
	e.spreadPublic(k)
	seen := make(map[*loc]bool)
	for _, l := range e.publics() {
		seen[l] = true
		if len(l.accesses)+len(l.sites)+len(l.inner) > 0 {
			c, why := e.judgeGlobal(l, k)
			e.record(l, c, why)
		}
	}
	for _, l := range reachable(e.thrown, seen, nil) {
		e.record(l, Unprotected, "it may be thrown by a panic")
	}
}

// known is what is known of functions when the whole program is.
type known struct {
	in    map[*ssa.Function]realm
	entry map[*ssa.Function][]*loc // locks that are held at all calls
}

// of returns where an access may happen, and with which of the locks that are there for
// the whole program.
func (k *known) of(a *access) (where realm, locks []heldLock) {
	for _, h := range a.locks {
		if h.lock.find().global || h.beside != "" {
			locks = append(locks, h)
		}
	}
	if a.who != nil {
		return elsewhere, locks
	}
	for _, l := range k.entry[a.frame.fn] {
		locks = append(locks, heldLock{lock: l})
	}
	return k.in[a.frame.fn], locks
}

func (e *engine) judgeGlobal(l *loc, k *known) (Class, string) {
	if l.escaped {
		return Unprotected, "code that is not analysed can reach it"
	}
	if e.triedAround(l.accesses) {
		return Unprotected, "accessed with a lock that TryLock is called on"
	}
	var rest []access
	var where realm
	for _, a := range l.accesses {
		c, locks := k.of(&a)
		if c == starting {
			continue
		}
		where |= c
		a.locks = locks
		rest = append(rest, a)
	}
	switch {
	case where&elsewhere != 0:
	case where != 0 && e.tests: // each has a goroutine, and so have its subtests
		return Ordered, "only the tests access it, one after the other"
	default:
		return Unshared, "only the main goroutine accesses it"
	}
	return e.shared(rest, func(h heldLock) bool { return h.lock.find().global && h.lock.single() })
}

// contexts computes where each function may run.
func (e *engine) contexts(roots map[*ssa.Function]realm) map[*ssa.Function]realm {
	in := make(map[*ssa.Function]realm)
	for fn, c := range roots {
		in[fn] |= c
	}
	in[nil] |= main // calls that are known only when all is known
	for again := true; again; {
		again = false
		for k := range e.edges {
			c := in[k.from]
			if k.spawn && c != 0 {
				c = elsewhere
			}
			if k.from == nil && roots[k.to] != 0 && !k.spawn {
				continue
			}
			if in[k.to]|c != in[k.to] {
				in[k.to] |= c
				again = true
			}
		}
	}
	// Goroutines of an init function run while others are initialised, and the tests of
	// a package may run at the same time if one of them asks for it.
	startsEarly := false
	for k := range e.edges {
		startsEarly = startsEarly || k.spawn && in[k.from]&starting != 0
	}
	for fn, c := range in {
		if startsEarly && c&starting != 0 {
			in[fn] |= main
		}
		if e.parallel && in[fn]&main != 0 {
			in[fn] |= elsewhere
		}
	}
	return in
}

// entryLocks computes the package-level locks that are held at every call of a function.
func (e *engine) entryLocks(roots map[*ssa.Function]realm) map[*ssa.Function][]*loc {
	type callers map[edge]bool
	incoming := make(map[*ssa.Function]callers)
	for k := range e.edges {
		if incoming[k.to] == nil {
			incoming[k.to] = make(callers)
		}
		incoming[k.to][k] = true
	}
	entry := make(map[*ssa.Function][]*loc)
	known := make(map[*ssa.Function]bool)
	for fn := range roots {
		known[fn] = true
	}
	known[nil] = true
	for again := true; again; {
		again = false
		for fn, from := range incoming {
			if _, root := roots[fn]; root {
				continue
			}
			var meet []*loc
			first := true
			for k := range from {
				if !k.spawn && !known[k.from] {
					continue
				}
				var here []*loc
				if !k.spawn {
					here = slices.Concat(e.edgeLocks[k], entry[k.from])
				}
				here = slices.DeleteFunc(here, func(l *loc) bool { return !l.find().global || !l.single() })
				if first {
					meet, first = here, false
				} else {
					meet = slices.DeleteFunc(slices.Clone(meet), func(l *loc) bool {
						return !slices.ContainsFunc(here, func(m *loc) bool { return l.find() == m.find() })
					})
				}
			}
			if first {
				continue
			}
			if !known[fn] || len(meet) != len(entry[fn]) {
				known[fn], entry[fn] = true, meet
				again = true
			}
		}
	}
	return entry
}
