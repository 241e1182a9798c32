package escape

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/coopvet/coop/escape/lockset"
	"github.com/coopvet/coop/escape/syncop"
)

// call adds a call, go or defer statement.
func (e *engine) call(f *function, i ssa.CallInstruction) {
	c := i.Common()
	s := callSite{frame: f, at: i, locks: e.locksAt(f, i)}
	switch i.(type) {
	case *ssa.Go:
		s.spawn, s.locks = true, nil
		f.starts = append(f.starts, i)
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
		return
	}
	switch v := c.Value.(type) {
	case *ssa.Function:
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

func (e *engine) addPending(f *function, p *pending) {
	e.spend(1)
	if p.instr == nil {
		p.instr = p.site.at
	}
	if p.fn.find().escaped {
		e.giveUp(p) // unknown code may have put any function there
		return
	}
	k := pendingKey{p.instr, p.site.at, p.site.who, p.method, p.methods != nil, p.site.spawn}
	for _, q := range f.same[k] {
		if q.fn.find() == p.fn.find() {
			e.mergePending(q, p)
			return
		}
	}
	if n := len(f.same[k]); n >= manyAlike {
		q := f.same[k][n-1]
		e.unify(q.fn, p.fn)
		e.mergePending(q, p)
		return
	}
	if f.same == nil {
		f.same = make(map[pendingKey][]*pending)
	}
	f.same[k] = append(f.same[k], p)
	p.done = make(map[*ssa.Function]bool)
	f.pending = append(f.pending, p)
	e.changes++
}

// giveUp leaves a call to unknown code.
func (e *engine) giveUp(p *pending) {
	mark(p.fn, false, true)
	for _, a := range p.args {
		if e.hasPointers(a.typ) {
			mark(a.loc, false, true)
		}
	}
	if p.result != nil {
		mark(p.result, false, true)
	}
	if p.site.at != nil {
		p.site.frame.starts = append(p.site.frame.starts, p.site.at)
	}
	e.changes++
}

// manyAlike is the number of calls from one call in the source, of different values,
// that are kept apart at one place of a frame.
const manyAlike = 4

// pendingKey is what pending calls have in common that come from one call in the source
// and happen in one goroutine at one place of a frame.
type pendingKey struct {
	instr, at ssa.Instruction
	who       *thread
	method    *types.Func
	back      bool
	spawn     bool
}

// mergePending adds p to q, which is the same call of the same value: one leads to the
// other, by recursion or through objects of one type that contain one another. They
// become one call that may happen many times.
func (e *engine) mergePending(q, p *pending) {
	for i, a := range p.args {
		if i < len(q.args) {
			e.copyTo(q.args[i].loc, a.loc, a.typ)
		}
	}
	if p.result != nil && q.result != nil {
		e.copyTo(q.result, p.result, resultType(p.sig))
	}
	held := slices.DeleteFunc(slices.Clone(q.site.locks), func(l lockAt) bool {
		return !slices.ContainsFunc(p.site.locks, func(m lockAt) bool {
			return l.lock.find() == m.lock.find() && (!m.reading || l.reading)
		})
	})
	if q.site.many && len(held) == len(q.site.locks) {
		return
	}
	q.site.many, q.site.locks = true, held
	q.site.paths, q.site.bounds = nil, nil
	q.done, q.foreign = make(map[*ssa.Function]bool), false
	e.changes++
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
	case syncop.AtomicLoad, syncop.AtomicStore, syncop.AtomicRMW:
		e.atomic(f, i, op, args, result)
	case syncop.Pool, syncop.SyncMap, syncop.NewCond, syncop.RLocker:
		e.keeps(f, i, args, result)
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

// callsBack adds that an operation calls the function fn.
func (e *engine) callsBack(f *function, i ssa.CallInstruction, op syncop.Op, fn ssa.Value, s callSite) {
	s.paths = nil
	switch op.Kind {
	case syncop.Spawn:
		s.spawn, s.locks = true, nil
		f.starts = append(f.starts, i)
	case syncop.Handler, syncop.Worker:
		s.spawn, s.many, s.locks = true, true, nil
		f.starts = append(f.starts, i)
	case syncop.Once:
		e.once(f, i, op, &s)
	case syncop.Later:
		s.later, s.locks = true, nil
	case syncop.Subtest:
		if e.parallel { // it may go on when this call has returned, together with others
			s.spawn, s.many, s.locks = true, true, nil
			f.starts = append(f.starts, i)
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
	e.addPending(f, &pending{fn: e.deref(e.val(f, fn)), args: args, sig: sig, site: s})
}

// once adds that a function runs at most once. What it does is ordered before all that
// follows a call of Do: this is as if it held the Once as a lock, and all that follows
// held it for reading.
func (e *engine) once(f *function, i ssa.CallInstruction, op syncop.Op, s *callSite) {
	_, args, _ := syncop.OfCall(i.Common())
	o := lockAt{lock: e.deref(e.val(f, args[op.Object])), path: lockset.PathOf(args[op.Object]), name: "sync.Once"}
	s.locks = append(s.locks, o)
	if _, ok := i.(*ssa.Call); ok {
		o.reading = true
		f.onces = append(f.onces, done{i, o})
	}
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
// come later: methods of sync.Pool and sync.Map, sync.NewCond.
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
			e.addPending(f, &pending{fn: fn, result: in, sig: sig, site: callSite{frame: f, at: i, locks: e.locksAt(f, i)}})
		}
	}
}

// lose adds that v goes to unknown code.
func (e *engine) lose(f *function, i ssa.Instruction, v ssa.Value) {
	if e.hasPointers(v.Type()) {
		e.loseLoc(f, i, e.val(f, v))
	}
}

func (e *engine) loseLoc(f *function, i ssa.Instruction, l *loc) {
	mark(e.deref(l), false, true)
	for _, p := range l.find().fields {
		mark(p, false, true)
	}
	f.starts = append(f.starts, i)
	e.changes++
}

// lostFunc is a function or method that unknown code can call.
type lostFunc struct {
	fn   *ssa.Function
	recv types.Type // of a method; nil: fn is a function
}

// noteLost notes the functions and methods that unknown code can call because it can
// reach the node. All that they are given and have captured can be reached, too, so that
// it does not matter where and how often that is.
func (e *engine) noteLost(l *loc) {
	if !l.escaped {
		return
	}
	for _, fn := range l.fns {
		if !e.lostFns[fn] {
			e.lostFns[fn] = true
			e.lost = append(e.lost, lostFunc{fn, nil})
		}
	}
	for _, t := range l.types {
		for _, m := range e.methods(t) {
			if !e.lostFns[m] {
				e.lostFns[m] = true
				e.lost = append(e.lost, lostFunc{m, t})
			}
		}
	}
}

// callLost lets unknown goroutines call the functions that have been noted.
func (e *engine) callLost(root *function) {
	for len(e.lost) > 0 {
		l := e.lost[0]
		e.lost = e.lost[1:]
		unknown := func() *loc {
			x := e.newLoc(nil)
			mark(x, false, true)
			return x
		}
		var args []value
		for _, p := range l.fn.Params {
			args = append(args, value{unknown(), p.Type()})
		}
		e.apply(&callSite{frame: root, spawn: true, many: true}, l.fn, unknown(), args, unknown())
		e.resolve(root)
	}
}

// receiver is the receiver of a method of the type t, whose interface leads to l.
func receiver(l *loc, t types.Type) value {
	if isPointerShaped(t) {
		return value{&loc{target: l, global: l.global, escaped: l.escaped}, t}
	}
	return value{l, t}
}

// methods returns the exported methods of a type that have bodies.
func (e *engine) methods(t types.Type) []*ssa.Function {
	var out []*ssa.Function
	set := e.prog.MethodSets.MethodSet(t)
	for i := range set.Len() {
		if !set.At(i).Obj().Exported() {
			continue
		}
		if fn := e.prog.MethodValue(set.At(i)); fn != nil && e.hasBody(fn) {
			out = append(out, fn)
		}
	}
	return out
}

// reachable returns the nodes that can be reached from l.
func reachable(l *loc) []*loc {
	seen := map[*loc]bool{}
	work := []*loc{l}
	var all []*loc
	for len(work) > 0 {
		l := work[len(work)-1].find()
		work = work[:len(work)-1]
		if seen[l] {
			continue
		}
		seen[l] = true
		all = append(all, l)
		for _, f := range l.fields {
			work = append(work, f)
		}
		if l.target != nil {
			work = append(work, l.target)
		}
	}
	return all
}

// tryPending calls the functions that a pending call's value is known to be.
func (e *engine) tryPending(p *pending) {
	l := p.fn.find()
	if (l.foreign || l.escaped) && !p.foreign {
		p.foreign = true
		e.foreignCall(p, l)
		l = l.find()
	}
	if p.method == nil && p.methods == nil {
		for n := 0; n < len(l.fns); n++ {
			fn := l.fns[n]
			if !p.done[fn] {
				p.done[fn] = true
				e.apply(&p.site, fn, l, p.args, p.result)
			}
			l = l.find()
		}
		return
	}
	for n := 0; n < len(l.types); n++ {
		for _, fn := range e.implementations(l.types[n], p) {
			if p.done[fn] {
				continue
			}
			p.done[fn] = true
			recv := receiver(l, l.types[n])
			if p.methods != nil {
				e.applyUnknownResult(p, fn, recv)
			} else {
				e.apply(&p.site, fn, nil, append([]value{recv}, p.args...), p.result)
			}
		}
		l = l.find()
	}
}

// foreignCall calls a function or method that is not analysed.
func (e *engine) foreignCall(p *pending, l *loc) {
	m := keeps
	if p.methods != nil {
		return // the library's own business
	}
	if p.method != nil {
		if known := mannerOf(p.method); known != unknown {
			m = known
		}
	}
	if l.escaped {
		e.giveUp(p)
		return
	}
	args := p.args
	if p.method != nil {
		args = append([]value{{&loc{target: l, global: l.global, escaped: l.escaped}, p.method.Signature().Recv().Type()}}, args...)
	}
	o := opaqueCall{s: &p.site, manner: m, sig: p.sig, args: args, result: p.result}
	if p.method == nil { // what the function has kept
		o.store = e.field(l, inside)
	}
	e.callOpaque(&o)
}

// applyUnknownResult calls a method on behalf of code that is not analysed but known to
// keep nothing.
func (e *engine) applyUnknownResult(p *pending, fn *ssa.Function, recv value) {
	args := []value{recv}
	for _, q := range fn.Params[1:] {
		l := e.newLoc(nil)
		if e.hasPointers(q.Type()) { // a buffer, or another of the library's objects
			e.put(e.field(p.fn, inside), value{l, q.Type()})
			e.deref(l).foreign = true
		}
		args = append(args, value{l, q.Type()})
	}
	e.apply(&p.site, fn, nil, args, e.returned(e.field(p.fn, inside), fn.Signature))
}

// implementations returns the methods of the dynamic type t that a pending call may
// call.
func (e *engine) implementations(t types.Type, p *pending) []*ssa.Function {
	set := e.prog.MethodSets.MethodSet(t)
	var out []*ssa.Function
	if p.method != nil {
		if sel := set.Lookup(p.method.Pkg(), p.method.Name()); sel != nil && sel.Kind() == types.MethodVal {
			if fn := e.prog.MethodValue(sel); fn != nil {
				out = append(out, fn)
			}
		}
		return out
	}
	for i := range set.Len() {
		if m, ok := set.At(i).Obj().(*types.Func); ok && p.methods(m) {
			if fn := e.prog.MethodValue(set.At(i)); fn != nil && e.hasBody(fn) {
				out = append(out, fn)
			}
		}
	}
	return out
}

// hasBody reports whether the function is one that is analysed.
func (e *engine) hasBody(fn *ssa.Function) bool {
	if len(fn.Blocks) == 0 {
		return false
	}
	if fn.Pkg != nil {
		return e.own(fn.Pkg)
	}
	// Wrappers and instances belong to no package, or to that of their origin.
	if fn.Synthetic != "" || fn.Origin() != nil {
		return true
	}
	return fn.Parent() != nil
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
	case "ssa:deferstack", "cap", "close", "print", "println", "complex", "real", "imag":
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
