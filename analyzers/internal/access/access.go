// Package access summarises which memory the functions of a package access, with the locks
// that are held and how the access may be ordered with those of other goroutines.
//
// It is the evidence side of race detection: it names only locations that are surely the
// same ones for the caller (access paths that start at a parameter, a captured or a
// package-level variable), follows only static calls within the package, and forgets the
// rest. What it misses is not reported; package escape is the side that must not miss.
package access

import (
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/coopvet/coop/analyzers/internal/locks"
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
	Instr         ssa.Instruction       // the access itself
	Calls         []ssa.CallInstruction // on the way to it, the function's own first
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
	locks *locks.Result
	own   bool // accesses of called functions are left out
	sums  map[*ssa.Function]*Summary
	open  map[*ssa.Function]bool

	maybes map[*ssa.Function]*builder // with nothing computed but what may be held
}

// New returns a Program.
func New(l *locks.Result) *Program {
	return &Program{
		locks:  l,
		sums:   make(map[*ssa.Function]*Summary),
		open:   make(map[*ssa.Function]bool),
		maybes: make(map[*ssa.Function]*builder),
	}
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
	return s
}

// summarise collects the accesses of fn.
func (p *Program) summarise(fn *ssa.Function) *Summary {
	b := &builder{prog: p, fn: fn, flow: NewFlow(fn), locks: p.locks.Of(fn), seen: make(map[key]bool)}
	if !p.own {
		b.findSync()
	}
	b.maybeHeld()
	b.locks.Walk(func(i ssa.Instruction, held lockset.Set) { b.instr(i, held) })
	return &b.sum
}

// NewOwn returns a Program whose summaries have only the functions' own accesses, without
// their order.
func NewOwn(l *locks.Result) *Program {
	p := New(l)
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
				b.sum.Before |= acquire
				b.sum.After |= release
			}
		}
	}
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
	if len(b.sum.Accesses) >= maxAccesses || variable(a.Path) {
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

// variable tells whether the path goes through an element that is not always the same.
func variable(p lockset.Path) bool {
	for _, s := range p.Steps() {
		if s[0] == '[' && (s[1] < '0' || s[1] > '9') {
			return true
		}
	}
	return false
}

// instr adds the accesses of one instruction.
func (b *builder) instr(i ssa.Instruction, held lockset.Set) {
	switch i := i.(type) {
	case *ssa.Store:
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
	path := lockset.PathOf(v)
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
	if t := CalledBy(c); t != nil && !b.prog.own {
		b.add1(i, t, held, 0)
	}
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
	for _, a := range b.prog.In(target, held) {
		a.Before |= before | by
		a.After |= after | by
		a.Maybe = a.Maybe.with(maybe)
		a.Calls = append([]ssa.CallInstruction{i}, a.Calls...)
		b.add(a)
	}
}

func (b *builder) builtin(i ssa.CallInstruction, name string, args []ssa.Value, held lockset.Set) {
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

// A Target is a function that is called, with what it is called with.
type Target struct {
	Fn       *ssa.Function
	Args     []ssa.Value // nil at the places of unknown arguments
	Bindings []ssa.Value
}

// CalledBy returns the target of a static call.
func CalledBy(c *ssa.CallCommon) *Target {
	fn := c.StaticCallee()
	if fn == nil {
		return nil
	}
	t := &Target{Fn: fn, Args: c.Args}
	if m, ok := c.Value.(*ssa.MakeClosure); ok {
		t.Bindings = m.Bindings
		if bound := boundTarget(m); bound != nil {
			bound.Args = append(bound.Args, c.Args...)
			return bound
		}
	}
	return t
}

// TargetOf returns the function that the function value v is; nil if that is not known.
func TargetOf(v ssa.Value) *Target {
	switch v := v.(type) {
	case *ssa.Function:
		return &Target{Fn: v}
	case *ssa.MakeClosure:
		if bound := boundTarget(v); bound != nil {
			return bound
		}
		return &Target{Fn: v.Fn.(*ssa.Function), Bindings: v.Bindings}
	case *ssa.ChangeType:
		return TargetOf(v.X)
	}
	return nil
}

// boundTarget is the method of a method value.
func boundTarget(m *ssa.MakeClosure) *Target {
	obj := syncop.Bound(m.Fn.(*ssa.Function))
	if obj == nil || types.IsInterface(obj.Signature().Recv().Type()) {
		return nil
	}
	fn := m.Parent().Prog.FuncValue(obj)
	if fn == nil {
		return nil
	}
	return &Target{Fn: fn, Args: []ssa.Value{m.Bindings[0]}}
}

// In returns what a call of t with the given locks held accesses, in the frame of the caller.
// Accesses that it cannot name are left out.
func (p *Program) In(t *Target, held lockset.Set) []Access {
	var out []Access
	for _, a := range p.Of(t.Fn).Accesses {
		if len(a.Calls) >= maxCalls {
			continue
		}
		path, ok := t.Translate(a.Path)
		if !ok || variable(path) {
			continue
		}
		a.Path = path
		locks := slices.Clone(held)
		for _, h := range a.Held {
			if h.Lock, ok = t.Translate(h.Lock); ok && !locks.Has(h.Lock) {
				locks = append(locks, h)
			}
		}
		a.Held = locks
		out = append(out, a)
	}
	return out
}

// Translate returns a path of the target in its caller's frame; ok is false if it has none.
func (t *Target) Translate(p lockset.Path) (path lockset.Path, ok bool) {
	var v ssa.Value
	switch root := p.Root.(type) {
	case *ssa.Global:
		return p, true
	case *ssa.Parameter:
		if i := slices.Index(t.Fn.Params, root); i >= 0 && i < len(t.Args) {
			v = t.Args[i]
		}
	case *ssa.FreeVar:
		if i := slices.Index(t.Fn.FreeVars, root); i >= 0 && i < len(t.Bindings) {
			v = t.Bindings[i]
		}
	}
	if v == nil || p.Sel == "" && !isReference(v.Type()) {
		return lockset.Path{}, false
	}
	return lockset.PathOf(v).Join(p.Sel), true
}

func isReference(t types.Type) bool {
	switch t.Underlying().(type) {
	case *types.Pointer, *types.Map, *types.Interface, *types.Slice:
		return true
	}
	return false
}

// Overlap tells whether two paths name the same memory or one is part of the other.
func Overlap(a, b lockset.Path) bool {
	if a.Root != b.Root {
		return false
	}
	if len(a.Sel) > len(b.Sel) {
		a, b = b, a
	}
	rest, ok := strings.CutPrefix(b.Sel, a.Sel)
	return ok && (rest == "" || rest[0] != '*' && (rest[0] == '.' || rest[0] == '[') && !strings.Contains(rest, "*"))
}
