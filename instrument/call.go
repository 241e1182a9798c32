package instrument

import (
	"go/ast"
	"go/types"

	"github.com/coopvet/coop/runner/sched"
)

// call rewrites a call, conversion or use of a predeclared function.
func (r *rewriter) call(e *ast.CallExpr) {
	if name := r.builtinName(e); name != "" {
		r.builtin(e, name)
		return
	}
	if r.atomicCall(e) || r.libraryCall(e) {
		return
	}
	r.expr(e.Fun)
	r.exprs(e.Args)
}

// builtinName returns the name of the predeclared function, or function of package
// unsafe, that e calls; "" if it calls none.
func (r *rewriter) builtinName(e *ast.CallExpr) string {
	if !r.info.Types[e.Fun].IsBuiltin() {
		return ""
	}
	switch f := ast.Unparen(e.Fun).(type) {
	case *ast.Ident:
		return f.Name
	case *ast.SelectorExpr:
		return f.Sel.Name
	}
	return ""
}

func (r *rewriter) builtin(e *ast.CallExpr, name string) {
	switch name {
	case "Sizeof", "Alignof", "Offsetof":
		return // the operand is not evaluated
	case "len", "cap":
		r.length(e, name)
	case "delete":
		r.mapDelete(e)
	case "clear":
		r.clear(e)
	case "copy":
		r.copy(e)
	default:
		r.exprs(e.Args)
	}
}

// length rewrites len(x) and cap(x). A map or channel keeps its length behind the
// header; the capacity of a channel never changes.
func (r *rewriter) length(e *ast.CallExpr, name string) {
	x := e.Args[0]
	switch core(r.info.TypeOf(x)).(type) {
	case *types.Array:
		r.upto(x.Pos())
		r.location(x) // the array itself is not read
		return
	case *types.Map:
		if !r.late[e] && r.visible(sched.MapRead, x) {
			r.announcement("MapLen", sched.MapRead, x)
			r.drop(x.Pos())
		}
	case *types.Chan:
		if name == "len" && !r.late[e] && r.visible(sched.ChanLen, x) {
			r.announced("Chan", sched.ChanLen, x)
			return
		}
	}
	r.expr(x)
}

// announced wraps x in a probe that announces an operation on x and returns it.
func (r *rewriter) announced(probe string, kind sched.Kind, x ast.Expr) {
	r.upto(x.Pos())
	r.announcement(probe, kind, x)
	r.expr(x)
	r.write(")")
}

// announcement writes the start of a call of a probe whose second argument is x.
func (r *rewriter) announcement(probe string, kind sched.Kind, x ast.Expr) {
	r.probe(probe)
	r.write(r.site(kind, x) + ", ")
}

func (r *rewriter) clear(e *ast.CallExpr) {
	x := e.Args[0]
	if isMap(r.info.TypeOf(x)) {
		r.mapClear(e)
		return
	}
	if core(r.info.TypeOf(x)) == nil || !r.visibleElements(sched.Write, x) {
		r.expr(x)
		return
	}
	r.probe("Clear")
	r.write(r.siteElements(sched.Write, x) + ", ")
	r.drop(x.Pos())
	r.expr(x)
}

// copy rewrites copy(dst, src), which writes to one range of memory and reads another.
func (r *rewriter) copy(e *ast.CallExpr) {
	if len(e.Args) != 2 || !r.copyable(e.Args[0], e.Args[1]) || !r.visibleElements(sched.Write, e.Args[0]) {
		r.exprs(e.Args)
		return
	}
	dst, src := e.Args[0], e.Args[1]
	if b, ok := core(r.info.TypeOf(src)).(*types.Basic); ok && b.Info()&types.IsString != 0 {
		r.probe("CopyString")
		r.write(r.siteElements(sched.Write, dst) + ", ")
	} else {
		r.probe("Copy")
		r.write(r.siteElements(sched.Write, dst) + ", ")
		r.siteElements(sched.Read, src)
	}
	r.drop(dst.Pos())
	r.exprs(e.Args)
}

// copyable reports whether the types of the operands of copy are known.
func (r *rewriter) copyable(dst, src ast.Expr) bool {
	return core(r.info.TypeOf(dst)) != nil && core(r.info.TypeOf(src)) != nil
}
