package escape

import (
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/coopvet/coop/escape/lockset"
	"github.com/coopvet/coop/escape/syncop"
)

// loc is a node of the points-to graph: memory, or the value of a variable or of an SSA
// value. Nodes that one pointer may point to are unified (Steensgaard). A node has
//
//   - fields: the fields of a struct, by number; the elements of an array, under elem;
//     the captured variables of a function literal; the keys and values of a map; the
//     values in a channel, under sent;
//   - a target: what the pointer in it points to. A slice points to its elements, an
//     interface to the memory that its pointer points to or to a box with its value.
type loc struct {
	up      *loc // the node that it was unified with
	fields  map[int]*loc
	target  *loc
	fns     []*ssa.Function // literals and functions whose value points here
	types   []types.Type    // dynamic types of interfaces that point here
	origins []origin        // where its memory comes from; none: it is not known yet

	global  bool // reachable from a package-level variable
	escaped bool // reachable from code that is not known
	foreign bool // may come from code that is not analysed, but known to share nothing
	tried   bool // a lock that TryLock is called on, which sees whether it is held
	outside bool // callers of the functions of this graph can reach it
	stale   bool // a goroutine may use it that has handed it over: see transfer.go
	text    bool // bytes that a string has been converted to

	accesses []access
	folded   int      // number of accesses when they were last made distinct
	sites    []*site  // accesses in the source to exactly this memory
	inner    []*loc   // nodes of callees which stand for this one there
	classes  classSet // those that its sites, here and in callees, have got from it
}

// Field numbers that are no fields.
const (
	elem     = -1
	mapKey   = -2
	mapValue = -3
	inside   = -4 // what opaque code keeps in an object of its own
	chanOps  = -9 // the operations on a channel, as accesses
	memo     = -8 // the results of a function that is called once only, a tuple
	sent     = -7 // what has been sent on a channel and not been received yet
)

// origin is where memory comes from.
type origin struct {
	id     int             // tells it from others made by the same call
	at     ssa.Instruction // the allocation, or the call that makes it; nil for a part
	global *ssa.Global
	many   bool // more than one piece of memory comes from one activation of the function
	of     *loc // the object that it is part of
	key    int
}

func (l *loc) find() *loc {
	for l.up != nil {
		if l.up.up != nil {
			l.up = l.up.up
		}
		l = l.up
	}
	return l
}

// field returns a part of the node.
func (e *engine) field(l *loc, key int) *loc {
	l = l.find()
	if f := l.fields[key]; f != nil {
		return f.find()
	}
	if l.fields == nil {
		l.fields = make(map[int]*loc)
	}
	f := e.newLoc(l)
	f.origins = []origin{{of: l, key: key}}
	l.fields[key] = f
	return f
}

// deref returns what the pointer in the node points to.
func (e *engine) deref(l *loc) *loc {
	l = l.find()
	if l.target == nil {
		l.target = e.newLoc(l)
	}
	return l.target.find()
}

// newLoc returns a node that is reachable from another one.
func (e *engine) newLoc(from *loc) *loc {
	e.spend(1)
	l := &loc{}
	if from != nil {
		l.global, l.escaped = from.global, from.escaped
	}
	e.created(l)
	return l
}

// unify makes two nodes one.
func (e *engine) unify(a, b *loc) {
	type pair struct{ a, b *loc }
	work := []pair{{a, b}}
	for len(work) > 0 {
		p := work[len(work)-1]
		work = work[:len(work)-1]
		a, b := p.a.find(), p.b.find()
		if a == b {
			continue
		}
		if len(a.fields)+len(a.accesses)+len(a.inner) < len(b.fields)+len(b.accesses)+len(b.inner) {
			a, b = b, a
		}
		e.changes++
		b.up = a
		differ := a.global != b.global || a.escaped != b.escaped
		for k, f := range b.fields {
			if g := a.fields[k]; g != nil {
				work = append(work, pair{g, f})
			} else {
				if a.fields == nil {
					a.fields = make(map[int]*loc)
				}
				a.fields[k] = f
			}
		}
		if a.target == nil {
			a.target = b.target
		} else if b.target != nil {
			work = append(work, pair{a.target, b.target})
		}
		a.merge(b)
		b.fields, b.target, b.accesses, b.sites, b.inner, b.fns, b.types, b.origins = nil, nil, nil, nil, nil, nil, nil, nil
		if differ {
			global, escaped := a.global || b.global, a.escaped || b.escaped
			a.global, a.escaped = false, false
			mark(a, global, escaped)
		}
	}
}

func (a *loc) merge(b *loc) {
	for _, f := range b.fns {
		a.addFn(f)
	}
	for _, t := range b.types {
		a.addType(t)
	}
	for _, o := range b.origins {
		a.addOrigin(o)
	}
	if !(a.escaped && b.escaped) || len(a.accesses) < evidenceEnough {
		a.accesses = append(a.accesses, b.accesses...)
	}
	if len(a.accesses) >= 2*a.folded+100 { // many are copies of one another
		a.accesses = fold(a.accesses, func(x, y *access) bool { return x.at == y.at && x.frame == y.frame })
		a.folded = len(a.accesses)
	}
	a.sites = append(a.sites, b.sites...)
	a.inner = append(a.inner, b.inner...)
	a.classes &= b.classes // what all of those have got
	a.foreign = a.foreign || b.foreign
	a.tried = a.tried || b.tried
	a.outside = a.outside || b.outside
	a.stale = a.stale || b.stale
	a.text = a.text || b.text
}

func (a *loc) addFn(f *ssa.Function) bool {
	for _, g := range a.fns {
		if f == g {
			return false
		}
	}
	a.fns = append(a.fns, f)
	return true
}

func (a *loc) addType(t types.Type) bool {
	for _, u := range a.types {
		if types.Identical(t, u) {
			return false
		}
	}
	a.types = append(a.types, t)
	return true
}

func (a *loc) addOrigin(o origin) {
	for i, p := range a.origins {
		if o.of != nil && p.of != nil && o.of.find() == p.of.find() && o.key == p.key ||
			o.of == nil && p.of == nil && o.id == p.id && o.at == p.at && o.global == p.global {
			a.origins[i].many = p.many || o.many
			return
		}
	}
	if len(a.origins) < 4 { // more than one is many
		a.origins = append(a.origins, o)
	}
}

// mark sets flags on all that is reachable from l.
func mark(l *loc, global, escaped bool) {
	work := []*loc{l}
	for len(work) > 0 {
		l := work[len(work)-1].find()
		work = work[:len(work)-1]
		if (l.global || !global) && (l.escaped || !escaped) {
			continue
		}
		l.global, l.escaped = l.global || global, l.escaped || escaped
		if l.escaped && len(l.accesses) > evidenceEnough {
			l.accesses = l.accesses[:evidenceEnough]
		}
		for _, f := range l.fields {
			work = append(work, f)
		}
		if l.target != nil {
			work = append(work, l.target)
		}
	}
}

// single reports whether the node is one piece of memory in each activation of the
// function to whose graph it belongs or, if it is global, in the program: a variable, or
// made when packages are initialised. Code that is not known may put other memory in its
// place.
func (l *loc) single() bool {
	for range 50 {
		l = l.find()
		if len(l.origins) != 1 || l.origins[0].many || l.escaped {
			return false
		}
		o := l.origins[0]
		if o.of == nil {
			return !l.global || o.global != nil || o.at != nil && initialises(o.at.Parent())
		}
		if o.key < 0 {
			return false
		}
		l = o.of
	}
	return false
}

// initialises reports whether fn is executed once, when its package is initialised.
func initialises(fn *ssa.Function) bool {
	return fn.Pkg != nil && fn.Parent() == nil && fn.Signature.Recv() == nil && (fn.Name() == "init" || strings.HasPrefix(fn.Name(), "init#"))
}

// copyTo makes the pointers in a value of type t that is copied from src to dst point
// to the same memory.
func (e *engine) copyTo(dst, src *loc, t types.Type) {
	if dst == nil || src == nil || !e.hasPointers(t) || dst.find() == src.find() {
		return
	}
	switch u := t.Underlying().(type) {
	case *types.Struct:
		for i := range u.NumFields() {
			if ft := u.Field(i).Type(); e.hasPointers(ft) {
				e.copyTo(e.field(dst, i), e.field(src, i), ft)
			}
		}
	case *types.Array:
		e.copyTo(e.field(dst, elem), e.field(src, elem), u.Elem())
	case *types.Tuple:
		for i := range u.Len() {
			if ft := u.At(i).Type(); e.hasPointers(ft) {
				e.copyTo(e.field(dst, i), e.field(src, i), ft)
			}
		}
	default:
		e.unify(e.deref(dst), e.deref(src))
	}
}

// hasPointers reports whether a value of type t can lead to memory that can be changed.
func (e *engine) hasPointers(t types.Type) bool {
	if has, ok := e.pointers[t]; ok {
		return has
	}
	e.pointers[t] = true // of a recursive type: there is a pointer on the way
	has := true
	switch u := t.Underlying().(type) {
	case *types.Basic:
		has = u.Kind() == types.UnsafePointer
	case *types.Struct:
		has = false
		for i := range u.NumFields() {
			has = has || e.hasPointers(u.Field(i).Type())
		}
	case *types.Array:
		has = e.hasPointers(u.Elem())
	case *types.Tuple:
		has = false
		for i := range u.Len() {
			has = has || e.hasPointers(u.At(i).Type())
		}
	}
	e.pointers[t] = has
	return has
}

// leaves calls f for the parts of l, memory of type t, that are accessed as a whole.
func (e *engine) leaves(l *loc, t types.Type, f func(*loc)) {
	switch u := t.Underlying().(type) {
	case *types.Struct:
		for i := range u.NumFields() {
			e.leaves(e.field(l, i), u.Field(i).Type(), f)
		}
	case *types.Array:
		e.leaves(e.field(l, elem), u.Elem(), f)
	default:
		f(l.find())
	}
}

// isPointerShaped reports whether an interface holds a value of type t directly.
func isPointerShaped(t types.Type) bool {
	switch t.Underlying().(type) {
	case *types.Pointer, *types.Map, *types.Chan, *types.Signature:
		return true
	}
	return false
}

// access is something that happens to memory in an activation of a function, its
// frame: an instruction of its own, or a call or go statement in which it happens.
type access struct {
	site   *site // what it is in the source; one of several after summarising
	write  bool
	atomic bool
	deep   bool    // by code that is not analysed, such as fmt
	who    *thread // nil: the goroutine that called the frame's function
	locks  []heldLock
	path   lockset.Path // of the location in the frame; no Root: not known
	frame  *function
	at     ssa.Instruction // in frame
	vague  bool            // see callSite
	early  bool            // no goroutine that was started in at before runs at that time
	leaked bool            // at may give away the address of the path's root before
	bare   bool            // locks of the frame's callers may have been released before

	group syncop.Kind     // of operations on a wait group
	start ssa.Instruction // the operation itself
}

// heldLock is a lock that is held at an access.
type heldLock struct {
	lock    *loc
	reading bool
	// beside says how the lock is found from the location, if it is part of the same
	// object: up so many selectors, then down by these. So it is one lock for each
	// location, whatever the number of objects. "" if it is elsewhere.
	beside string
	others []*loc // if it is one of several locks, beside one location each: which ones
	name   string // for people
}

// any reports whether is is true for one of the locks that it may be.
func (h *heldLock) any(is func(*loc) bool) bool {
	return is(h.lock.find()) || slices.ContainsFunc(h.others, func(l *loc) bool { return is(l.find()) })
}

// thread is a goroutine that a frame's function starts, itself or in its callees.
type thread struct {
	at    ssa.Instruction // the go statement, or the call in which it is started
	inner *thread         // which one in the callee
	outer *thread         // in which goroutine of the frame at runs; nil: its own
	many  bool            // there may be several
	start ssa.Instruction // the go statement itself
	ended bool            // it is over when at is
}

// site is an access in the source.
type site struct {
	instr   ssa.Instruction
	kind    siteKind
	write   bool
	initial bool     // of a new object that nobody else knows of
	begins  bool     // initial is true of an operand, but not known of the access itself
	classes classSet // of the locations that it accesses
}

// visible reports whether the access is a visible operation.
func (s *site) visible() bool {
	return !s.initial && (s.classes == 0 || s.classes.has(Unprotected))
}

// classSet is a set of classes.
type classSet uint8

func (s classSet) has(c Class) bool { return s&(1<<c) != 0 }
