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
		for _, m := range e.methods(t) {
			e.loseFunc(m, t)
		}
	}
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
				for _, fn := range e.methods(types.NewPointer(n)) {
					e.loseFunc(fn, n)
				}
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
