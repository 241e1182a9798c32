package escape

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// manyAlike is the number of calls from one call in the source, of different values,
// that are kept apart at one place of a frame.
const manyAlike = 4

// pendingKey is what pending calls have in common that come from one call in the source
// and happen in one goroutine at one place of a frame.
type pendingKey struct {
	instr, at ssa.Instruction
	who       *thread
	method    *types.Func
	by        any
	spawn     bool
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
	k := pendingKey{p.instr, p.site.at, p.site.who, p.method, p.by, p.site.spawn}
	for _, q := range f.same[k] {
		if q.fn.find() == p.fn.find() && (p.instr != nil || types.Identical(q.sig, p.sig)) {
			if p.within == nil || p.within != q.within {
				e.mergePending(q, p)
			}
			return
		}
	}
	if n := len(f.same[k]); n >= manyAlike && (p.instr != nil || p.within != nil) {
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

// calls notes that the pending call is one of fn.
func (e *engine) calls(p *pending, fn *ssa.Function) {
	if e.called != nil {
		e.called(p.instr, fn)
	}
}

// giveUp leaves a call to unknown code.
func (e *engine) giveUp(p *pending) {
	e.calls(p, nil)
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
		p.mayStart()
	}
	e.changes++
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
	q.streams, q.depth, q.tried = q.streams || p.streams, max(q.depth, p.depth), nil
	held := slices.DeleteFunc(slices.Clone(q.site.locks), func(l lockAt) bool {
		return !slices.ContainsFunc(p.site.locks, func(m lockAt) bool {
			return l.lock.find() == m.lock.find() && (!m.reading || l.reading)
		})
	})
	behind := q.site.behind || p.site.behind
	if q.site.many && q.site.vague && q.site.behind == behind && len(held) == len(q.site.locks) {
		return
	}
	q.site.vague, q.site.behind = true, behind
	q.site.many, q.site.locks, q.site.before = true, held, held
	q.site.paths, q.site.bounds = nil, nil
	q.done, q.foreign = make(map[*ssa.Function]bool), false
	q.written = false
	e.changes++
}

// tryPending calls the functions that a pending call's value is known to be.
func (e *engine) tryPending(p *pending) {
	l := p.fn.find()
	if (l.foreign || l.escaped) && !p.foreign {
		p.foreign = true
		e.foreignCall(p, l)
		l = l.find()
	}
	fns, typs := 0, 0
	if p.tried == l {
		if p.fns == len(l.fns) && p.types == len(l.types) && l.fields[memo] == nil {
			return // nothing has been added
		}
		fns, typs = p.fns, p.types
	}
	before := l
	defer func() {
		if p.tried = nil; p.fn.find() == before { // otherwise the lists may be in another order
			p.tried, p.fns, p.types = before, len(before.fns), len(before.types)
		}
	}()
	if p.method == nil && p.methods == nil {
		for n := fns; n < len(l.fns); n++ {
			fn := l.fns[n]
			if !p.done[fn] {
				p.done[fn] = true
				e.calls(p, fn)
				e.apply(&p.site, fn, l, p.args, p.result)
			}
			l = l.find()
		}
		if m := l.fields[memo]; m != nil && p.result != nil {
			e.results(p.result, m.find(), p.sig.Results())
		}
		return
	}
	for n := typs; n < len(l.types); n++ {
		t := l.types[n]
		if p.streams && !p.written && isLibraryObject(t) {
			p.written = true
			e.useDeep(&p.site, value{l, t}, true)
		}
		if p.methods != nil && !l.escaped {
			e.lookInside(p, l, t)
			e.wrapped(p, l.find(), t)
			l = l.find()
		}
		for _, fn := range e.implementations(t, p) {
			if p.done[fn] || p.known && !e.hasBody(fn) {
				continue
			}
			p.done[fn] = true
			recv := receiver(l.find(), t)
			if p.methods != nil {
				if p.site.spawn {
					p.site.frame.transfer.shared = append(p.site.frame.transfer.shared, l)
				}
				e.applyUnknownResult(p, fn, recv)
			} else {
				e.calls(p, fn)
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
	if p.known {
		return
	}
	args := p.args
	if p.method != nil {
		args = append([]value{{&loc{target: l, global: l.global, escaped: l.escaped}, p.method.Signature().Recv().Type()}}, args...)
	}
	o := opaqueCall{s: &p.site, manner: m, sig: p.sig, args: args, result: p.result, depth: depthOf(p.method)}
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
	e.returning(p, fn)
}

// implementations returns the methods of the dynamic type t that a pending call may
// call.
func (e *engine) implementations(t types.Type, p *pending) []*ssa.Function {
	set := e.prog.MethodSets.MethodSet(t)
	var out []*ssa.Function
	if p.method != nil {
		if sel := set.Lookup(p.method.Pkg(), p.method.Name()); sel != nil && sel.Kind() == types.MethodVal {
			if fn := e.variants.method(e.prog, sel); fn != nil {
				out = append(out, fn)
			}
		}
		return out
	}
	for i := range set.Len() {
		if m, ok := set.At(i).Obj().(*types.Func); ok && p.methods(m) {
			if fn := e.variants.method(e.prog, set.At(i)); fn != nil && e.hasBody(fn) {
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
