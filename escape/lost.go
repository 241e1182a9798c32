package escape

import (
	"go/token"
	"go/types"
	"maps"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// lostFunc is a function or method that unknown code can call.
type lostFunc struct {
	fn   *ssa.Function
	recv types.Type // of a method; nil: fn is a function
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

// noteLost notes the functions and methods that unknown code can call because it can
// reach the node. All that they are given and have captured can be reached, too, so that
// it does not matter where and how often that is.
func (e *engine) noteLost(l *loc) {
	if !l.escaped {
		return
	}
	for _, fn := range l.fns {
		e.loseFunc(fn, nil)
	}
	for _, t := range l.types {
		e.loseType(t)
	}
}

// loseType notes the methods that unknown code can call because it knows a type: those of the
// type, and of all types of which its values consist, or to which they or calls of its methods
// lead. It can find them by reflection, and make values of its own.
func (e *engine) loseType(t types.Type) {
	work := []types.Type{t}
	add := func(t types.Type) { work = append(work, t) }
	for len(work) > 0 {
		t := work[len(work)-1]
		work = work[:len(work)-1]
		if e.lostTypes.Set(t, true) != nil {
			continue
		}
		if n, ok := types.Unalias(t).(*types.Named); ok {
			for a := range n.TypeArgs().Types() {
				add(a)
			}
			if !e.mayHaveBodies(n) {
				continue
			}
			if !types.IsInterface(n) {
				add(types.NewPointer(n))
			}
		}
		for _, m := range e.methods(t) {
			e.loseFunc(m, t)
			if m.Object() != nil && m.Object().Exported() {
				addSignature(m.Signature, add)
			}
		}
		if s, ok := t.Underlying().(*types.Signature); ok {
			addSignature(s, add)
		}
		components(t, func(*types.Var) bool { return true }, add)
	}
}

// addSignature gives add the types of the parameters and results.
func addSignature(s *types.Signature, add func(types.Type)) {
	for v := range s.Params().Variables() {
		add(v.Type())
	}
	for v := range s.Results().Variables() {
		add(v.Type())
	}
}

// mayHaveBodies reports whether methods of n, or of the types in it, may be analysed.
func (e *engine) mayHaveBodies(n *types.Named) bool {
	return n.Obj().Pkg() != nil && e.ownPaths[n.Obj().Pkg().Path()]
}

// loseExported notes the functions and methods that unknown code can call because it
// imports the package, and the variables.
func (e *engine) loseExported(p *ssa.Package) {
	for _, name := range slices.Sorted(maps.Keys(p.Members)) {
		if !token.IsExported(name) {
			continue
		}
		switch m := p.Members[name].(type) {
		case *ssa.Global:
			mark(e.globalLoc(e.variants.variable(m)), false, true)
		case *ssa.Function:
			if m.TypeParams() == nil && e.hasBody(m) {
				e.loseFunc(m, nil)
			}
		case *ssa.Type:
			if n, ok := m.Type().(*types.Named); ok && n.TypeParams() == nil && !types.IsInterface(n) {
				e.loseType(n)
			}
		}
	}
}

func (e *engine) loseFunc(fn *ssa.Function, recv types.Type) {
	if !e.lostFns[fn] {
		e.lostFns[fn] = true
		e.lost = append(e.lost, lostFunc{fn, recv})
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
	}
	e.resolve(root)
}

// receiver is the receiver of a method of the type t, whose interface leads to l.
func receiver(l *loc, t types.Type) value {
	if isPointerShaped(t) {
		return value{&loc{target: l, global: l.global, escaped: l.escaped}, t}
	}
	return value{l, t}
}

// methods returns the methods of a type that have bodies. Unknown code calls the exported
// ones; the others are called by our own code, through interfaces that unknown code may
// have put the object into, or has it from.
func (e *engine) methods(t types.Type) []*ssa.Function {
	var out []*ssa.Function
	set := e.prog.MethodSets.MethodSet(t)
	for i := range set.Len() {
		if fn := e.variants.method(e.prog, set.At(i)); fn != nil && e.hasBody(fn) {
			out = append(out, fn)
		}
	}
	return out
}

// reachable appends to all the nodes that can be reached from l, but for those that have
// been seen.
func reachable(l *loc, seen map[*loc]bool, all []*loc) []*loc {
	work := []*loc{l}
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
