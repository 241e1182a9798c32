package instrument

import (
	"go/ast"
	"go/types"
	"strings"

	"github.com/coopvet/coop/runner/sched"
)

// atomicOps maps the operations of package sync/atomic, by the name of the method or
// the start of the name of the function, to the probe for the functions and the kind.
var atomicOps = []struct {
	name, probe string
	kind        sched.Kind
}{
	{"Load", "AtomicLoad", sched.AtomicLoad},
	{"Store", "AtomicStore", sched.AtomicStore},
	{"Swap", "AtomicRMW", sched.AtomicRMW},
	{"CompareAndSwap", "AtomicCAS", sched.AtomicRMW},
	{"Add", "AtomicRMW", sched.AtomicRMW},
	{"And", "AtomicRMW", sched.AtomicRMW},
	{"Or", "AtomicRMW", sched.AtomicRMW},
}

// atomicCall rewrites e if it calls a function or method of package sync/atomic, and
// reports whether it does and gets a probe.
func (r *rewriter) atomicCall(e *ast.CallExpr) bool {
	fun := ast.Unparen(e.Fun)
	f := r.callee(fun)
	if f == nil || f.Pkg() == nil || f.Pkg().Path() != "sync/atomic" {
		return false
	}
	if f.Signature().Recv() == nil {
		return r.atomicFunc(e, f)
	}
	sel, ok := fun.(*ast.SelectorExpr)
	return ok && r.atomicMethod(e, sel, f)
}

// callee returns the function or method that fun names; nil if it is a value.
func (r *rewriter) callee(fun ast.Expr) *types.Func {
	var f types.Object
	switch fun := fun.(type) {
	case *ast.Ident:
		f = r.info.Uses[fun]
	case *ast.SelectorExpr:
		if s := r.info.Selections[fun]; s != nil && s.Kind() != types.MethodVal {
			return nil
		}
		f = r.info.Uses[fun.Sel]
	}
	fn, _ := f.(*types.Func)
	return fn
}

// atomicFunc rewrites atomic.F(p, …) to probe(site, atomic.F, p, …).
func (r *rewriter) atomicFunc(e *ast.CallExpr, f *types.Func) bool {
	if len(e.Args) != f.Signature().Params().Len() {
		return false // the arguments are the results of a call
	}
	for _, op := range atomicOps {
		if !strings.HasPrefix(f.Name(), op.name) {
			continue
		}
		if !r.visible(op.kind, e.Args[0]) {
			return false
		}
		r.probe(op.probe)
		r.write(r.site(op.kind, e.Args[0]) + ", ")
		r.upto(r.end(e.Fun))
		r.write(",")
		r.seek(e.Lparen + 1)
		r.exprs(e.Args)
		return true
	}
	return false
}

// atomicMethod rewrites x.M(…) to probe(site, &x, …).
func (r *rewriter) atomicMethod(e *ast.CallExpr, sel *ast.SelectorExpr, f *types.Func) bool {
	s := r.info.Selections[sel]
	p := r.path(sel, s)
	n := len(p.fields)
	params := f.Signature().Params()
	if !r.accessible(p.fields) || len(e.Args) != params.Len() {
		return false
	}
	for _, op := range atomicOps {
		if op.name != f.Name() || !r.visible(op.kind, sel.X) {
			continue
		}
		probe := "Cell" + op.name
		if isAtomicValue(f) && len(e.Args) > 0 {
			probe = "Value" + op.name
		} else if !r.sameTypes(e.Args, s.Type().(*types.Signature).Params()) {
			return false
		}
		r.probe(probe)
		r.write(r.site(op.kind, sel.X) + ", ")
		if pointee(p.typ(n)) != nil {
			r.pathValue(p, n)
		} else {
			r.write("&")
			r.pathLocation(p, n)
		}
		if len(e.Args) > 0 {
			r.write(", ")
		}
		r.drop(e.Lparen + 1)
		r.exprs(e.Args)
		return true
	}
	return false
}

// isAtomicValue reports whether f is a method of atomic.Value.
func isAtomicValue(f *types.Func) bool {
	named, ok := types.Unalias(pointee(f.Signature().Recv().Type())).(*types.Named)
	return ok && named.Obj().Name() == "Value"
}

// sameTypes reports whether the arguments need no conversion to the parameters' types,
// which the probes infer from them.
func (r *rewriter) sameTypes(args []ast.Expr, params *types.Tuple) bool {
	for i, a := range args {
		t := r.info.Types[a]
		if !t.IsNil() && !types.Identical(t.Type, params.At(i).Type()) {
			return false
		}
	}
	return true
}
