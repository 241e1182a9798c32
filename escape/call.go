package escape

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/coopvet/coop/escape/library"
	"github.com/coopvet/coop/escape/lockset"
	"github.com/coopvet/coop/escape/syncop"
)

// call adds a call, go or defer statement.
func (e *engine) call(f *function, i ssa.CallInstruction) {
	c := i.Common()
	s := callSite{frame: f, at: i}
	s.locks, s.before = e.callLocks(f, i)
	switch i.(type) {
	case *ssa.Go:
		s.spawn, s.locks, s.before = true, nil, nil
		f.starts = append(f.starts, i)
		for _, x := range i.Operands(nil) {
			e.handOver(f, i, *x)
		}
	case *ssa.Defer:
		s.later = true
	}
	if b, ok := c.Value.(*ssa.Builtin); ok {
		if s.spawn {
			e.loseAll(f, i, c.Args)
		}
		e.builtin(f, i, b)
		return
	}
	var result *loc
	if v := i.Value(); v != nil {
		result = e.val(f, v)
	}
	args := e.values(f, c.Args)
	for _, a := range c.Args {
		s.paths = append(s.paths, lockset.PathOf(a))
	}
	if op, ops, ok := syncop.OfCall(c); ok {
		if s.spawn && op.Func < 0 {
			e.loseAll(f, i, ops)
		}
		e.operation(f, i, op, ops, result, s)
		// What ends a goroutine may be told the reason, and calls its methods.
		if op.Kind != syncop.Exit {
			if op.Dynamic {
				e.ownMethod(f, i, ops[0], args, result, s)
			}
			return
		}
	}
	switch v := c.Value.(type) {
	case *ssa.Function:
		e.libraryCall(f, i, v)
		e.apply(&s, v, nil, args, result)
		return
	case *ssa.MakeClosure:
		for _, b := range v.Bindings {
			s.bounds = append(s.bounds, lockset.PathOf(b))
		}
		e.apply(&s, v.Fn.(*ssa.Function), e.deref(e.val(f, v)), args, result)
		return
	}
	p := &pending{fn: e.deref(e.val(f, c.Value)), args: args, result: result, sig: c.Signature(), site: s}
	if c.IsInvoke() {
		p.method = c.Method
		s.paths = append([]lockset.Path{lockset.PathOf(c.Value)}, s.paths...)
		p.site = s
	}
	e.addPending(f, p)
}

// ownMethod adds that a call of an interface's method that is known as an operation may be
// one of a method of the program's own: of its kind of lock, or of test.
func (e *engine) ownMethod(f *function, i ssa.CallInstruction, recv ssa.Value, args []value, result *loc, s callSite) {
	c := i.Common()
	p := &pending{fn: e.deref(e.val(f, recv)), method: c.Method, args: args, result: result, sig: c.Signature(), known: true}
	if p.method == nil {
		p.method = syncop.Bound(c.Value.(*ssa.MakeClosure).Fn.(*ssa.Function))
	}
	if e.ownMethods[p.method.Name()] {
		s.paths = append([]lockset.Path{lockset.PathOf(recv)}, s.paths...)
		p.site = s
		e.addPending(f, p)
	}
}

// condLocker returns the field L of the sync.Cond at l to which a value of type t points.
func (e *engine) condLocker(l *loc, t types.Type) (*loc, *types.Interface) {
	st := pointee(t).Underlying().(*types.Struct)
	n := 0
	for st.Field(n).Name() != "L" {
		n++
	}
	return e.field(l, n), st.Field(n).Type().Underlying().(*types.Interface)
}

// condWait adds that sync.Cond.Wait calls the methods of a lock of the program's own.
func (e *engine) condWait(f *function, cond ssa.Value, s callSite) {
	l, locker := e.condLocker(e.deref(e.val(f, cond)), cond.Type())
	s.paths, s.loose = nil, true
	for m := range locker.Methods() {
		if e.ownMethods[m.Name()] {
			e.addPending(f, &pending{fn: e.deref(l), method: m, sig: m.Signature(), site: s, known: true})
		}
	}
}

// libraryCall adds the access that a call of the standard library makes in any case, as
// one of the caller.
func (e *engine) libraryCall(f *function, i ssa.CallInstruction, fn *ssa.Function) {
	a, ok := library.Of(syncop.Declared(fn))
	call, isCall := i.(*ssa.Call)
	if !ok || !isCall {
		return
	}
	n := max(a.Arg, 0) // the receiver comes first
	x := call.Call.Args[n]
	switch a.Memory {
	case library.Map:
		e.object(f, i, x, a.Write, kindMap)
	case library.Elements:
		e.object(f, i, x, a.Write, kindElements)
	case library.Object:
		if m, ok := x.(*ssa.MakeInterface); ok {
			x = m.X
		}
		if p, ok := types.Unalias(x.Type()).(*types.Pointer); ok && (a.Arg < 0 || library.Writer(p)) {
			e.access(f, i, e.deref(e.val(f, x)), p.Elem(), lockset.PathOf(x), a.Write)
		}
	}
}

// loseAll gives up on the arguments of a goroutine that is just one operation.
func (e *engine) loseAll(f *function, i ssa.Instruction, args []ssa.Value) {
	for _, a := range args {
		e.lose(f, i, a)
	}
}

func (e *engine) values(f *function, vs []ssa.Value) []value {
	var out []value
	for _, v := range vs {
		out = append(out, value{e.val(f, v), v.Type()})
	}
	return out
}

// resultType is the type of the value of a call.
func resultType(sig *types.Signature) types.Type {
	if sig.Results().Len() == 1 {
		return sig.Results().At(0).Type()
	}
	return sig.Results()
}

// operation adds a call of a function of the table of package syncop.
func (e *engine) operation(f *function, i ssa.CallInstruction, op syncop.Op, args []ssa.Value, result *loc, s callSite) {
	if op.Func >= 0 && op.Func < len(args) {
		e.callsBack(f, i, op, args[op.Func], s)
	}
	if op.Kind == syncop.Spawn && op.Object >= 0 {
		e.groupOp(f, i, op, args)
	}
	if op.Kind.IsTry() {
		e.deref(e.val(f, args[op.Object])).tried = true
	}
	switch op.Kind {
	case syncop.GroupAdd, syncop.GroupDone, syncop.GroupWait:
		e.groupOp(f, i, op, args)
		if v := i.Value(); v != nil && e.hasPointers(v.Type()) { // errgroup.Group.Wait
			e.copyTo(result, e.returnedTo(f, args[op.Object]), v.Type())
		}
	case syncop.AtomicLoad, syncop.AtomicStore, syncop.AtomicRMW:
		e.atomic(f, i, op, args, result)
	case syncop.Spawn:
		if op.Object < 0 && len(args) == 2 && args[0].Type().String() == "context.Context" {
			e.watched(&s, value{e.val(f, args[0]), args[0].Type()})
		}
	case syncop.Pool, syncop.SyncMap, syncop.RLocker:
		e.keeps(f, i, args, result)
	case syncop.NewCond:
		if v := i.Value(); v != nil {
			e.point(f, v, e.alloc(f, i))
			l, _ := e.condLocker(e.deref(result), v.Type())
			e.copyTo(l, e.val(f, args[0]), args[0].Type())
		}
	case syncop.CondWait:
		e.condWait(f, args[0], s)
	case syncop.Parallel:
		e.parallel = true
	}
	if op.Kind == syncop.Handler || op.Kind == syncop.Spawn {
		// The result, a timer or server, has nothing of the program's inside.
		if result != nil {
			mark(e.deref(result), false, true)
		}
	}
}

// returnedTo is the node of what the functions of a group return.
func (e *engine) returnedTo(f *function, group ssa.Value) *loc {
	return e.field(e.deref(e.val(f, group)), inside)
}

// callsBack adds that an operation calls the function fn.
func (e *engine) callsBack(f *function, i ssa.CallInstruction, op syncop.Op, fn ssa.Value, s callSite) {
	s.paths, s.loose = nil, true
	switch op.Kind {
	case syncop.Spawn:
		s.spawn, s.locks, s.before = true, nil, nil
		f.starts = append(f.starts, i)
		s.loose, s.many = false, restarts(i)
		if s.many {
			e.share(f, fn)
		} else {
			e.handOver(f, i, fn)
		}
	case syncop.Handler, syncop.Worker:
		s.spawn, s.many, s.locks, s.before = true, true, nil, nil
		f.starts = append(f.starts, i)
		e.share(f, fn)
	case syncop.Once:
		e.once(f, i, op, &s)
	case syncop.Later:
		s.later, s.locks, s.before = true, nil, nil
		e.share(f, fn)
	case syncop.Subtest:
		if e.parallel { // it may go on when this call has returned, together with others
			s.spawn, s.many, s.locks, s.before = true, true, nil, nil
			f.starts = append(f.starts, i)
			e.share(f, fn)
		}
	}
	if c, ok := fn.(*ssa.MakeClosure); ok {
		for _, b := range c.Bindings {
			s.bounds = append(s.bounds, lockset.PathOf(b))
		}
	}
	if op.Kind == syncop.Handler && !isFunc(fn.Type()) {
		// All methods of the value may be called, and what it leads to is out of sight.
		e.lose(f, i, fn)
		return
	}
	var args []value
	sig, _ := fn.Type().Underlying().(*types.Signature)
	if sig == nil { // any: the fuzzing function
		sig = types.NewSignatureType(nil, nil, nil, nil, nil, false)
	}
	for n := range sig.Params().Len() {
		// What the caller passes is its own, or unknown.
		l := e.newLoc(nil)
		switch op.Kind {
		case syncop.Handler, syncop.Worker:
			mark(e.deref(l), false, true)
		case syncop.SyncMap: // Range passes what is in the map
			_, ops, _ := syncop.OfCall(i.Common())
			e.unify(e.deref(l), e.deref(e.field(e.deref(e.val(f, ops[0])), inside)))
		}
		args = append(args, value{l, sig.Params().At(n).Type()})
	}
	p := &pending{fn: e.deref(e.val(f, fn)), args: args, sig: sig, site: s}
	if op.Kind == syncop.Spawn && op.Object >= 0 && sig.Results().Len() == 1 {
		_, ops, _ := syncop.OfCall(i.Common())
		p.result = e.returnedTo(f, ops[op.Object])
	}
	e.addPending(f, p)
}

// once adds that a function runs at most once. What it does is ordered before all that
// follows a call of Do: this is as if it held the Once as a lock, and all that follows
// held it for reading.
func (e *engine) once(f *function, i ssa.CallInstruction, op syncop.Op, s *callSite) {
	_, args, _ := syncop.OfCall(i.Common())
	o := lockAt{lock: e.deref(e.val(f, args[op.Object])), path: lockset.PathOf(args[op.Object]), name: "sync.Once"}
	s.locks, s.before = append(slices.Clip(s.locks), o), append(slices.Clip(s.before), o)
	if _, ok := i.(*ssa.Call); ok {
		o.reading = true
		f.onces = append(f.onces, done{i, o})
	}
}

// restarts reports whether the call returns a timer that may be started again.
func restarts(i ssa.CallInstruction) bool {
	v := i.Value()
	if v == nil || v.Type().String() != "*time.Timer" {
		return false
	}
	return slices.ContainsFunc(*v.Referrers(), func(r ssa.Instruction) bool {
		if _, debug := r.(*ssa.DebugRef); debug {
			return false
		}
		c, ok := r.(ssa.CallInstruction)
		return !ok || c.Common().StaticCallee() == nil || c.Common().StaticCallee().Name() != "Stop"
	})
}

func isFunc(t types.Type) bool {
	_, ok := t.Underlying().(*types.Signature)
	return ok
}

// atomic adds an operation of package sync/atomic: the pointers that it copies, and
// its access.
func (e *engine) atomic(f *function, i ssa.CallInstruction, op syncop.Op, args []ssa.Value, result *loc) {
	at := e.deref(e.val(f, args[0]))
	cell := e.field(at, inside)
	if p, ok := args[0].Type().Underlying().(*types.Pointer); ok && isPointerShaped(p.Elem()) || isUnsafe(pointee(args[0].Type())) {
		cell = at // atomic.LoadPointer and the like, on a plain variable
	}
	for _, a := range args[1:] {
		if e.hasPointers(a.Type()) {
			e.unify(e.deref(cell), e.deref(e.val(f, a)))
		}
	}
	if v := i.Value(); v != nil && e.hasPointers(v.Type()) {
		e.unify(e.deref(result), e.deref(cell))
	}
	s := e.site(i, op.Kind != syncop.AtomicLoad)
	s.kind = kindAtomic
	path := lockset.PathOf(args[0])
	s.initial = !strings0(path.Sel) && f.flow.initial(path.Root, i)
	leaf := at.find()
	leaf.sites = append(leaf.sites, s)
	if !s.initial {
		e.add(f, leaf, access{site: s, write: s.write, atomic: true, path: path, frame: f, at: i, early: true, locks: e.heldAt(f, i, path)})
	}
}

// keeps adds a call that puts what it is given into its receiver, out of which it may
// come later: methods of sync.Pool and sync.Map, RWMutex.RLocker.
func (e *engine) keeps(f *function, i ssa.CallInstruction, args []ssa.Value, result *loc) {
	in := e.field(e.deref(e.val(f, args[0])), inside)
	for _, a := range args[1:] {
		if e.hasPointers(a.Type()) && !isFunc(a.Type()) {
			e.unify(e.deref(in), e.deref(e.val(f, a)))
		}
	}
	e.poolNew(f, i, args, in)
	v := i.Value()
	if v == nil || result == nil {
		return
	}
	switch t := v.Type().(type) {
	case *types.Tuple:
		for n := range t.Len() {
			if e.hasPointers(t.At(n).Type()) {
				e.unify(e.deref(e.field(result, n)), e.deref(in))
			}
		}
	default:
		if e.hasPointers(t) {
			e.unify(e.deref(result), e.deref(in))
		}
	}
}

// poolNew adds that sync.Pool.Get calls the pool's function New, whose results it keeps.
func (e *engine) poolNew(f *function, i ssa.CallInstruction, args []ssa.Value, in *loc) {
	p, ok := args[0].Type().Underlying().(*types.Pointer)
	if !ok {
		return
	}
	st, ok := p.Elem().Underlying().(*types.Struct)
	if !ok {
		return
	}
	for n := range st.NumFields() {
		sig, ok := st.Field(n).Type().Underlying().(*types.Signature)
		if ok && st.Field(n).Name() == "New" {
			fn := e.deref(e.field(e.deref(e.val(f, args[0])), n))
			locks, before := e.callLocks(f, i)
			e.addPending(f, &pending{fn: fn, result: in, sig: sig, site: callSite{frame: f, at: i, locks: locks, before: before, loose: true}})
		}
	}
}

// builtin adds a call of a builtin function.
func (e *engine) builtin(f *function, i ssa.CallInstruction, b *ssa.Builtin) {
	args := i.Common().Args
	v := i.Value()
	switch b.Name() {
	case "append":
		e.appends(f, i, args)
	case "copy":
		if from, ok := args[1].Type().Underlying().(*types.Slice); ok {
			e.copyTo(e.elements(f, args[0]), e.elements(f, args[1]), from.Elem())
			e.object(f, i, args[1], false, kindElements)
		}
		e.object(f, i, args[0], true, kindElements)
	case "clear":
		kind := kindElements
		if _, ok := args[0].Type().Underlying().(*types.Map); ok {
			kind = kindMap
		}
		e.object(f, i, args[0], true, kind)
	case "delete":
		e.mapAccess(f, i, args[0], true)
	case "len":
		if _, ok := args[0].Type().Underlying().(*types.Map); ok {
			e.mapAccess(f, i, args[0], false)
		}
	case "recover":
		if v != nil {
			e.copyTo(e.val(f, v), e.thrown, v.Type())
		}
	case "ssa:wrapnilchk":
		e.copyTo(e.val(f, v), e.val(f, args[0]), v.Type())
	case "close":
		e.chanOp(f, i, syncop.Close, args[0])
	case "ssa:deferstack", "cap", "print", "println", "complex", "real", "imag":
	case "min", "max":
	default: // unsafe
		for _, a := range args {
			e.lose(f, i, a)
		}
		if v != nil && e.hasPointers(v.Type()) {
			mark(e.deref(e.val(f, v)), false, true)
		}
	}
}

// appends adds append(a, b...): b's elements are copied to those of a, or of both to a
// new array.
func (e *engine) appends(f *function, i ssa.CallInstruction, args []ssa.Value) {
	v := i.Value()
	fresh := e.newLoc(nil)
	fresh.origins = []origin{{at: i, many: true}}
	e.unify(e.deref(e.val(f, args[0])), fresh)
	if v != nil {
		e.copyTo(e.val(f, v), e.val(f, args[0]), args[0].Type())
	}
	e.object(f, i, args[0], true, kindElements)
	if len(args) < 2 {
		return
	}
	if s, ok := args[1].Type().Underlying().(*types.Slice); ok {
		e.copyTo(e.elements(f, args[0]), e.elements(f, args[1]), s.Elem())
		e.object(f, i, args[1], false, kindElements)
	}
}
