// Package access summarises which memory the functions of a package access, with the locks
// that are held and how the access may be ordered with those of other goroutines.
//
// It is the evidence side of race detection: it names only locations that are surely the
// same ones for the caller (access paths that start at a parameter, a captured or a
// package-level variable), follows only static calls, and forgets the rest. What it misses
// is not reported; package escape is the side that must not miss. Of the functions of other
// packages it knows what Analyzer hands on as facts.
package access

import (
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/coopvet/coop/escape/library"
	"github.com/coopvet/coop/escape/lockset"
	"github.com/coopvet/coop/escape/syncop"
)

// An Access is a read or write of a location by a function or by what it calls.
type Access struct {
	Path  lockset.Path // the location, in the frame of the function
	Held  lockset.Set  // the locks, in the same frame
	Maybe Classes      // locks that may be held, Held among them
	// Class is the field or variable that the location belongs to, and Part what of it: ""
	// or elements, and * for what a map in it holds.
	Class  lockset.Class
	Part   string
	Write  bool
	Atomic bool // by a function of sync/atomic
	// Before and After are the means of synchronisation that may have been used between the
	// start of the function and the access, and from there to its end.
	Before, After Sync
	Instr         ssa.Instruction // the access itself, or the call of By
	By            string          // the function of another package that makes it; "": none
	// Object is the object of that package: the variable or field here that holds it, or its type.
	Object lockset.Class
	Calls  []ssa.CallInstruction // on the way to it, the function's own first
}

// At is the function's own instruction: a call or the access itself.
func (a *Access) At() ssa.Instruction {
	if len(a.Calls) > 0 {
		return a.Calls[0]
	}
	return a.Instr
}

// Summary is what one function does.
type Summary struct {
	Accesses      []Access
	Before, After Sync // of the whole function: what it may acquire and release by
}

const (
	maxAccesses = 120 // per function; what comes later is forgotten
	maxCalls    = 4   // depth
)

// A Program summarises the functions of a package.
type Program struct {
	locks *lockset.Program
	pass  *analysis.Pass // nil: nothing is known of other packages
	own   bool           // accesses of called functions are left out
	sums  map[*ssa.Function]*Summary
	open  map[*ssa.Function]bool

	maybes map[*ssa.Function]*builder // with nothing computed but what may be held

	counters map[*ssa.Function]map[string]*Counter
	unnamed  *hidden // computed when it is asked for
	runs     map[*ssa.Function][]Run
	starts   map[*ssa.Function][]Access    // see startsOf; nil while it is computed
	facts    map[*types.Func]*summaryFact  // of other packages; nil for those without
	impls    map[*types.Func][]*types.Func // by method of an interface
	methods  map[string][]*types.Named     // see typesWith; nil until needed
}

func newProgram(l *lockset.Program) *Program {
	return &Program{
		locks:  l,
		runs:   make(map[*ssa.Function][]Run),
		starts: make(map[*ssa.Function][]Access),
		facts:  make(map[*types.Func]*summaryFact),
		impls:  make(map[*types.Func][]*types.Func),
		sums:   make(map[*ssa.Function]*Summary),
		open:   make(map[*ssa.Function]bool),
		maybes: make(map[*ssa.Function]*builder),

		counters: make(map[*ssa.Function]map[string]*Counter),
	}
}

func (p *Program) hidden() *hidden {
	if p.unnamed == nil {
		p.unnamed = findHidden(p.locks.Functions())
	}
	return p.unnamed
}

// Of returns the summary of fn; it is empty for functions without source and for recursive
// calls.
func (p *Program) Of(fn *ssa.Function) *Summary {
	if s := p.sums[fn]; s != nil {
		return s
	}
	if p.open[fn] || len(fn.Blocks) == 0 {
		return new(Summary)
	}
	p.open[fn] = true
	s := p.summarise(fn)
	delete(p.open, fn)
	p.sums[fn] = s
	if !p.own && callsItself(fn) {
		// Once more, with what the calls of itself do at first.
		s = p.summarise(fn)
		p.sums[fn] = s
	}
	return s
}

func callsItself(fn *ssa.Function) bool {
	for _, b := range fn.Blocks {
		for _, i := range b.Instrs {
			if c, ok := i.(ssa.CallInstruction); ok && c.Common().StaticCallee() == fn {
				return true
			}
		}
	}
	return false
}

// summarise collects the accesses of fn.
func (p *Program) summarise(fn *ssa.Function) *Summary {
	b := &builder{prog: p, fn: fn, flow: NewFlow(fn), locks: p.locks.Of(fn), seen: make(map[key]bool)}
	if !p.own {
		b.findSync()
	}
	b.maybeHeld()
	b.locks.Walk(func(i ssa.Instruction, held lockset.Set) { b.instr(i, held) })
	b.keepElements()
	return &b.sum
}

// NewOwn returns a Program whose summaries have only the functions' own accesses, without
// their order.
func NewOwn(l *lockset.Program) *Program {
	p := newProgram(l)
	p.own = true
	return p
}

type builder struct {
	prog  *Program
	fn    *ssa.Function
	flow  *Flow
	locks *lockset.Func
	sync  map[ssa.Instruction][2]Sync // what an instruction acquires and releases by
	atEnd Sync                        // what deferred calls release by
	maybe map[*ssa.BasicBlock]Classes // locks that may be held at the start
	sum   Summary
	seen  map[key]bool

	elements []Access // with variable indices
}

// key tells accesses apart that a report would tell apart.
type key struct {
	path          lockset.Path
	write, atomic bool
	held          int
	lock          lockset.Path // one of those held
	before, after Sync
	at            ssa.Instruction
}

// findSync notes the synchronisation of the function's own instructions.
func (b *builder) findSync() {
	b.sync = make(map[ssa.Instruction][2]Sync)
	for _, blk := range b.fn.Blocks {
		for _, i := range blk.Instrs {
			acquire, release := b.prog.syncOf(i)
			if _, ok := i.(*ssa.Defer); ok {
				b.atEnd |= release
				b.sum.Before |= acquire
				b.sum.After |= release
				continue
			}
			if acquire|release != 0 {
				b.sync[i] = [2]Sync{acquire, release}
				if !waitsForOwn(i) {
					b.sum.Before |= acquire
				}
				b.sum.After |= release
			}
		}
	}
}

// waitsForOwn tells whether i waits for a group that its function has made: for goroutines that
// it has started itself, which is nothing to its caller.
func waitsForOwn(i ssa.Instruction) bool {
	call, ok := i.(*ssa.Call)
	if !ok {
		return false
	}
	op, args, ok := syncop.OfCall(&call.Call)
	if !ok || op.Kind != syncop.GroupWait {
		return false
	}
	_, own := lockset.PathOf(args[op.Object]).Root.(*ssa.Alloc)
	return own
}

// order returns what may have been used before i and may be used after it.
func (b *builder) order(i ssa.Instruction) (before, after Sync) {
	after = b.atEnd
	for j, s := range b.sync {
		if before|s[0] != before && b.flow.Reaches(j, i) {
			before |= s[0]
		}
		if after|s[1] != after && b.flow.Reaches(i, j) {
			after |= s[1]
		}
	}
	return before, after
}

func (b *builder) add(a Access) {
	if !Variable(a.Path) {
		b.keep(a)
	} else if len(b.elements) < maxAccesses && !b.prog.own {
		b.elements = append(b.elements, a)
	}
}

func (b *builder) keep(a Access) {
	if len(b.sum.Accesses) >= maxAccesses {
		return
	}
	k := key{path: a.Path, write: a.Write, atomic: a.Atomic, held: len(a.Held), before: a.Before, after: a.After, at: a.At()}
	if len(a.Held) > 0 {
		k.lock = a.Held[0].Lock
	}
	if !b.seen[k] {
		b.seen[k] = true
		b.sum.Accesses = append(b.sum.Accesses, a)
	}
}

// instr adds the accesses of one instruction.
func (b *builder) instr(i ssa.Instruction, held lockset.Set) {
	switch i := i.(type) {
	case *ssa.Store:
		if load, ok := i.Val.(*ssa.UnOp); ok && load.Op == token.MUL && load.X == i.Addr {
			return // "return x" where x is the named result
		}
		b.own(i, i.Addr, true, held)
	case *ssa.UnOp:
		if i.Op == token.MUL {
			b.own(i, i.X, false, held)
		}
	case *ssa.MapUpdate:
		b.own(i, i.Map, true, held)
	case *ssa.Lookup:
		if isMap(i.X) {
			b.own(i, i.X, false, held)
		}
	case *ssa.Range:
		if isMap(i.X) {
			b.own(i, i.X, false, held)
		}
	case *ssa.Call:
		b.call(i, held)
	case *ssa.Defer:
		b.call(i, b.locks.AtDeferred(i))
	}
}

func isMap(v ssa.Value) bool {
	_, ok := v.Type().Underlying().(*types.Map)
	return ok
}

// own adds an access to what v points to.
func (b *builder) own(i ssa.Instruction, v ssa.Value, write bool, held lockset.Set) {
	b.at(i, lockset.PathOf(v), write, held)
}

// at adds an access of the function itself.
func (b *builder) at(i ssa.Instruction, path lockset.Path, write bool, held lockset.Set) {
	if a, ok := path.Root.(*ssa.Alloc); ok && !a.Heap {
		return
	}
	before, after := b.order(i)
	class, part := classify(path)
	b.add(Access{Path: path, Class: class, Part: part, Write: write, Held: held, Maybe: b.maybeAt(i), Before: before, After: after, Instr: i})
}

// classify returns the class of the longest beginning of p that has one, and the rest.
func classify(p lockset.Path) (lockset.Class, string) {
	part := ""
	for {
		if class := lockset.ClassOf(p); class != "" {
			return class, part
		}
		i := strings.LastIndexAny(p.Sel, ".[*")
		if i < 0 {
			return "", part
		}
		part = p.Sel[i:] + part
		p.Sel = p.Sel[:i]
	}
}

// call adds the accesses of a call.
func (b *builder) call(i ssa.CallInstruction, held lockset.Set) {
	c := i.Common()
	if f, ok := c.Value.(*ssa.Builtin); ok {
		b.builtin(i, f.Name(), c.Args, held)
		return
	}
	if op, args, ok := syncop.OfCall(c); ok {
		switch {
		case op.Kind.IsAtomic() && pointsToPlain(args[op.Object]):
			before, after := b.order(i)
			path := lockset.PathOf(args[op.Object])
			class, part := classify(path)
			b.add(Access{Path: path, Class: class, Part: part, Write: op.Kind != syncop.AtomicLoad, Atomic: true,
				Held: held, Maybe: b.maybeAt(i), Before: before, After: after, Instr: i})
		case op.Kind == syncop.Once && op.Func < len(args) && !b.prog.own:
			if target := TargetOf(args[op.Func]); target != nil {
				b.add1(i, target, held, syncOnce)
			}
		}
		return
	}
	known := b.library(i, held)
	if b.prog.own {
		return
	}
	if t := CalledBy(c); t != nil {
		if known && len(t.Fn.Blocks) == 0 {
			return
		}
		b.add1(i, t, held, 0)
	} else if path, ok := b.prog.pulling(c.Value); ok && !c.IsInvoke() {
		b.at(i, path, true, held)
	}
}

// library adds the access that a call of the standard library makes in any case, and tells
// whether it is known.
func (b *builder) library(i ssa.CallInstruction, held lockset.Set) bool {
	call, ok := i.(*ssa.Call)
	if !ok || call.Call.IsInvoke() || call.Call.StaticCallee() == nil {
		return false
	}
	a, ok := library.Of(syncop.Declared(call.Call.StaticCallee()))
	if !ok || a.Memory == library.Elements {
		return ok
	}
	x := call.Call.Args[max(a.Arg, 0)]
	if m, ok := x.(*ssa.MakeInterface); ok {
		x = m.X
	}
	if a.Memory == library.Map || library.Writer(x.Type()) || a.Arg < 0 {
		b.own(i, x, a.Write, held)
	}
	return true
}

// pointsToPlain tells whether v is the address of a variable that may be accessed without
// sync/atomic, too.
func pointsToPlain(v ssa.Value) bool {
	p, ok := v.Type().Underlying().(*types.Pointer)
	if !ok {
		return false
	}
	_, basic := p.Elem().Underlying().(*types.Basic)
	return basic
}

// add1 adds what a call of target accesses; by is what the call itself synchronises by.
func (b *builder) add1(i ssa.CallInstruction, target *Target, held lockset.Set, by Sync) {
	before, after := b.order(i)
	if _, ok := i.(*ssa.Defer); ok {
		before, after = b.sum.Before, b.atEnd
	}
	maybe := b.maybeAt(i)
	for _, a := range b.prog.In(target, i, held) {
		a.Before |= before | by
		a.After |= after | by
		a.Maybe = a.Maybe.with(maybe)
		if a.Instr != i {
			a.Calls = append([]ssa.CallInstruction{i}, a.Calls...)
		}
		b.add(a)
	}
}

func (b *builder) builtin(i ssa.CallInstruction, name string, args []ssa.Value, held lockset.Set) {
	if name == "append" && !b.prog.own {
		b.append(i, args[0], held)
	}
	if len(args) == 0 || !isMap(args[0]) {
		return
	}
	switch name {
	case "len":
		b.own(i, args[0], false, held)
	case "delete", "clear":
		b.own(i, args[0], true, held)
	}
}

// append adds the write to the spare capacity of a slice, unless the longer slice takes its place,
// which is a write itself.
func (b *builder) append(i ssa.CallInstruction, s ssa.Value, held lockset.Set) {
	path, ok := b.prog.growing(s)
	if !ok || i.Value() == nil {
		return
	}
	for _, ref := range *i.Value().Referrers() {
		if store, ok := ref.(*ssa.Store); ok && lockset.PathOf(store.Addr).Join("*").Join(Spare) == path {
			return
		}
	}
	b.at(i, path, true, held)
}

// Overlap tells whether two paths name the same memory or one is part of the other. Elements that
// are counted by loops count as the same, since each loop accesses the first one.
func Overlap(a, b lockset.Path) bool {
	a, b = anyRound(a), anyRound(b)
	if a.Root != b.Root {
		return false
	}
	if len(a.Sel) > len(b.Sel) {
		a, b = b, a
	}
	rest, ok := strings.CutPrefix(b.Sel, a.Sel)
	return ok && (rest == "" || rest[0] != '*' && (rest[0] == '.' || rest[0] == '[') && !strings.Contains(rest, "*"))
}
