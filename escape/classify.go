package escape

import (
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// Class says how a location is shared between goroutines.
type Class uint8

const (
	// Unprotected is every location that has no better class.
	Unprotected Class = iota
	// Unshared locations are accessed by one goroutine only.
	Unshared
	// ReadOnly locations are not written any more once several goroutines can reach them.
	ReadOnly
	// Locked locations have a lock that is held at all accesses after initialisation,
	// and not only for reading at all writes.
	Locked
	// Ordered locations are handed from one goroutine to the next by a go statement, a
	// join or a channel.
	Ordered
	// Atomic locations are accessed only by operations of sync/atomic, which are
	// visible operations themselves.
	Atomic

	numClasses
)

var classNames = [numClasses]string{"unprotected", "unshared", "read-only", "locked", "ordered", "atomic"}

// String returns the class's name.
func (c Class) String() string { return classNames[c] }

// Protected reports whether accesses to the location need no scheduling point.
func (c Class) Protected() bool { return c != Unprotected }

// Location is a classified location, with the evidence.
type Location struct {
	Name     string    // such as Cache.items, or the name of a variable
	Pos      token.Pos // where it is declared or allocated; may be invalid
	At       token.Pos // one of the accesses
	Class    Class
	Why      string
	Accesses []Access // those that decide
}

// Access is an access to a Location.
type Access struct {
	Pos    token.Pos
	Write  bool
	Atomic bool
	Deep   bool      // by code that is not analysed, such as fmt
	Start  token.Pos // of the go statement; invalid: the goroutine that made the location
	Many   bool      // there may be several such goroutines
	Locks  []string

	fn    *ssa.Function
	start ssa.Instruction
}

// classify decides about memory that no caller can reach.
func (e *engine) classify(l *loc) {
	if len(l.accesses) == 0 && len(l.sites) == 0 && len(l.inner) == 0 {
		return
	}
	c, why := e.judge(l)
	e.record(l, c, why)
}

// record notes the class of a location and what follows for its accesses.
func (e *engine) record(l *loc, c Class, why string) {
	if c == Unshared && l.text && !slices.ContainsFunc(l.accesses, func(a access) bool { return a.write }) {
		// The compiler does not copy a string to bytes that are only read.
		c, why = ReadOnly, "the bytes of a string, which are only read"
	}
	assign(l, c)
	if len(l.accesses) > 0 || len(l.sites) > 0 {
		e.found = append(e.found, e.describe(l, c, why))
	}
}

func (e *engine) judge(l *loc) (Class, string) {
	if l.escaped {
		return Unprotected, "code that is not analysed can reach it"
	}
	all := l.accesses
	if e.triedAround(all) {
		return Unprotected, "accessed with a lock that TryLock is called on"
	}
	if who, one := oneGoroutine(all); one {
		if who == nil {
			return Unshared, "only the goroutine that makes it accesses it"
		}
		return Unshared, "only one goroutine accesses it"
	}
	var rest []access
	for i := range all {
		if !e.alone(&all[i], all) {
			rest = append(rest, all[i])
		}
	}
	if _, one := oneGoroutine(rest); one {
		return Ordered, "no two goroutines that access it run at the same time"
	}
	if !slices.ContainsFunc(rest, func(a access) bool { return a.write }) {
		if slices.ContainsFunc(all, func(a access) bool { return a.who == nil && a.write && e.afterStart(&a, all) }) {
			return Ordered, "only read while several goroutines can reach it"
		}
	}
	if !l.stale {
		return Ordered, "each goroutine hands it over before another one uses it"
	}
	return e.shared(rest, func(h heldLock) bool { return h.lock.single() })
}

// shared decides about a location that several goroutines access after initialisation.
// one reports whether a lock is just one lock.
func (e *engine) shared(rest []access, one func(heldLock) bool) (Class, string) {
	if !slices.ContainsFunc(rest, func(a access) bool { return a.write }) {
		return ReadOnly, "only read once other goroutines can reach it"
	}
	if !slices.ContainsFunc(rest, func(a access) bool { return !a.atomic }) {
		return Atomic, "accessed by sync/atomic only"
	}
	if lock, ok := protector(rest, one); ok {
		return Locked, "protected by " + lock
	}
	return Unprotected, "several goroutines access it, one of them writes, and no lock is held at all accesses"
}

// triedAround reports whether an access is in a critical section of a lock on which
// TryLock is called. TryLock can tell whether another goroutine is in the middle of it,
// so there must be a middle, even if nobody else accesses the location.
func (e *engine) triedAround(all []access) bool {
	return slices.ContainsFunc(all, func(a access) bool {
		return slices.ContainsFunc(a.locks, func(h heldLock) bool {
			return h.any(func(l *loc) bool { return l.tried || l.escaped && e.tries }) // which lock that is is not known
		})
	})
}

// oneGoroutine reports whether all accesses are by one goroutine.
func oneGoroutine(all []access) (who *thread, one bool) {
	for i, a := range all {
		if i == 0 {
			who = a.who
		}
		if a.who != who || a.who != nil && a.who.many && !oneByOne(&a) {
			return nil, false
		}
	}
	return who, true
}

// oneByOne reports whether the goroutine of an access, of which there are many, is over
// before the next one is started.
func oneByOne(a *access) bool {
	g, ok := a.at.(*ssa.Go)
	if !ok || a.who.inner != nil || a.who.outer != nil || a.frame.recursive || a.frame.fn == nil || g.Call.StaticCallee() == nil {
		return false
	}
	return !a.frame.mayRunAt(g, g, nil)
}

// alone reports whether no other goroutine that accesses the location can run at the
// time of an access: none has been started yet, or all are over.
func (e *engine) alone(a *access, all []access) bool {
	if a.who != nil || !a.early || a.frame.recursive {
		return false
	}
	if fn := a.frame.fn; fn != nil && a.at.Block() == fn.Recover && a.frame.flow.recovers {
		return false // who has panicked has not waited for anybody
	}
	// An object that is new in each iteration of a loop is not known to the goroutines of
	// the iterations before, unless it has been given away already.
	var avoid ssa.Instruction
	if m := made(a.path); m != nil && !a.leaked && a.frame.flow.kept(a.path.Root, a.at) {
		avoid = m
	}
	for i := range all {
		b := &all[i]
		if b.who == nil {
			continue
		}
		if b.frame != a.frame || b.frame.flow == nil || b.at == nil {
			return false
		}
		if !b.who.ended && (a.vague && b.vague && a.at == b.at || a.frame.mayRunAt(b.at, a.at, avoid)) {
			return false
		}
	}
	return true
}

// afterStart reports whether an access may come after the start of a goroutine that
// accesses the location.
func (e *engine) afterStart(a *access, all []access) bool {
	return slices.ContainsFunc(all, func(b access) bool {
		return b.who != nil && (b.at == a.at || a.frame.flow == nil || a.frame.flow.reaches(b.at, a.at, nil))
	})
}

// protector returns a lock that is held at all accesses, exclusively at writes. Unknown code
// may release locks that it can reach.
func protector(all []access, one func(heldLock) bool) (string, bool) {
	if len(all) == 0 {
		return "", false
	}
	for _, h := range all[0].locks {
		single, beside := one(h), h.beside
		for i := range all {
			s, b := false, false
			for _, k := range all[i].locks {
				if k.reading && all[i].write {
					continue
				}
				s = s || k.lock.find() == h.lock.find()
				b = b || k.beside == beside && !k.any(func(l *loc) bool { return l.escaped })
			}
			single = single && s
			if !b {
				beside = ""
			}
		}
		if single || beside != "" {
			return lockName(h, beside), true
		}
	}
	return "", false
}

func lockName(h heldLock, beside string) string {
	if i := strings.IndexByte(beside, '.'); i >= 0 && h.name != "sync.Once" {
		return beside[i+1:]
	}
	if h.name != "" {
		return h.name
	}
	return "one lock"
}

// describe makes the evidence.
func (e *engine) describe(l *loc, c Class, why string) Location {
	out := Location{Class: c, Why: why}
	for _, o := range l.origins {
		if o.at != nil {
			out.Pos = o.at.Pos()
		} else if o.global != nil {
			out.Pos = o.global.Pos()
		}
	}
	for _, a := range l.accesses {
		if a.site == nil {
			if a.at != nil {
				out.Accesses = append(out.Accesses, e.evidence(&a))
			}
			continue
		}
		if out.Name == "" {
			out.Name, out.At = nameOf(a.site.instr), position(a.site.instr)
		}
		out.Accesses = append(out.Accesses, e.evidence(&a))
	}
	for _, s := range l.sites {
		if out.Name == "" {
			out.Name, out.At = nameOf(s.instr), position(s.instr)
		}
		if !out.Pos.IsValid() {
			out.Pos = position(s.instr)
		}
	}
	return out
}

func (e *engine) evidence(a *access) Access {
	i := a.at
	if a.site != nil {
		i = a.site.instr
	}
	out := Access{Pos: position(i), Write: a.write, Atomic: a.atomic, Deep: a.deep, fn: i.Parent()}
	if a.who != nil {
		out.Many = a.who.many
		if a.who.start != nil {
			out.Start, out.start = a.who.start.Pos(), a.who.start
		}
	}
	for _, h := range a.locks {
		out.Locks = append(out.Locks, lockName(h, h.beside))
	}
	return out
}

// position is where an access stands in the source, roughly if it has no position.
func position(i ssa.Instruction) token.Pos {
	if p := i.Pos(); p.IsValid() {
		return p
	}
	if p := nearby(i); p.IsValid() {
		return p
	}
	return i.Parent().Pos()
}

// nameOf names the location that an instruction accesses.
func nameOf(i ssa.Instruction) string {
	switch i := i.(type) {
	case *ssa.UnOp:
		return nameOfAddr(i.X)
	case *ssa.Store:
		return nameOfAddr(i.Addr)
	case *ssa.MapUpdate:
		return "map " + nameOfAddr(i.Map)
	case *ssa.Lookup:
		return "map " + nameOfAddr(i.X)
	case *ssa.Next:
		return "map " + nameOfAddr(i.Iter.(*ssa.Range).X)
	case *ssa.Call:
		if len(i.Call.Args) > 0 {
			return nameOfAddr(i.Call.Args[0])
		}
	case *ssa.DebugRef:
		return "elements of " + nameOfAddr(i.X)
	}
	return "memory"
}

func nameOfAddr(v ssa.Value) string {
	switch v := v.(type) {
	case *ssa.Global:
		return v.Name()
	case *ssa.FreeVar:
		return v.Name()
	case *ssa.Parameter:
		return v.Name()
	case *ssa.Alloc:
		if v.Comment != "" {
			return v.Comment
		}
	case *ssa.FieldAddr:
		t := v.X.Type().Underlying().(*types.Pointer).Elem()
		name := types.TypeString(t, func(*types.Package) string { return "" })
		if st, ok := t.Underlying().(*types.Struct); ok {
			return name + "." + st.Field(v.Field).Name()
		}
	case *ssa.IndexAddr:
		return "elements of " + nameOfAddr(v.X)
	case *ssa.UnOp:
		return nameOfAddr(v.X)
	}
	return types.TypeString(v.Type(), func(*types.Package) string { return "" })
}
