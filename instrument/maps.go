package instrument

import (
	"go/ast"
	"go/types"

	"github.com/coopvet/coop/runner/sched"
)

// A lookup is done by a method of probe.Map, so that nothing can come between its
// announcement and itself. An assignment with simple operands keeps its form: the map
// alone is wrapped in a probe that announces it.

// mapIndex rewrites m[k] where its value is wanted.
func (r *rewriter) mapIndex(e *ast.IndexExpr) {
	switch {
	case r.late[e] || !r.visible(sched.MapRead, e.X) || r.bare[e] && !r.simple(e.Index):
		r.expr(e.X)
		r.expr(e.Index)
	case r.bare[e]:
		r.announced("MapRead", sched.MapRead, e.X) // stands alone in its statement
		r.expr(e.Index)
	case r.effects(e.Index).calls && !r.simple(e.X):
		r.lateLookup(e)
	default:
		method := "Load"
		if r.commaOK[e] {
			method = "Lookup"
		}
		r.mapMethod(e.X, method, sched.MapRead)
		r.write(", ")
		r.seek(e.Index.Pos())
		r.newlines(e.Lbrack, e.Index.Pos())
		r.expr(e.Index)
		r.without(']', r.end(e))
		r.write(")")
	}
	r.upto(r.end(e))
}

// commaForm notes that the lookup v, if it is one, has two results. A probe returns
// the second one as a bool, the language as a value of any boolean type.
func (r *rewriter) commaForm(v ast.Expr, isBool bool) {
	v = ast.Unparen(v)
	if isBool {
		r.commaOK[v] = true
	} else {
		r.bare[v] = true
	}
}

// isBool reports whether t is the type bool, or unknown as that of a new variable.
func isBool(t types.Type) bool {
	if t == nil {
		return true
	}
	b, ok := t.Underlying().(*types.Basic)
	return !ok || types.Identical(t, types.Typ[types.Bool]) || b.Info()&types.IsBoolean == 0
}

// lateLookup rewrites m[f()]. The call may set m, and gc reads m after it.
func (r *rewriter) lateLookup(e *ast.IndexExpr) {
	key := core(r.info.TypeOf(e.X)).(*types.Map).Key()
	if r.effects(e.X).calls || !types.Identical(r.info.TypeOf(e.Index), key) {
		r.markLate(e.X, e.Index)
		r.expr(e.X)
		r.expr(e.Index)
		return
	}
	r.upto(e.Pos())
	probe := "MapLoad"
	if r.commaOK[e] {
		probe = "MapLookup"
	}
	r.probe(probe)
	r.write(r.site(sched.MapRead, e.X) + ", ")
	r.seek(e.Index.Pos())
	r.expr(e.Index)
	r.write(", ")
	r.seek(e.X.Pos())
	r.expr(e.X)
	r.newlines(r.end(e.X), e.Index.Pos())
	r.write(")")
	r.seek(r.end(e))
}

// mapMethod writes the start of a call of a method of probe.Map(m), up to its first
// argument.
func (r *rewriter) mapMethod(m ast.Expr, method string, kind sched.Kind) {
	r.mapCell(m)
	r.write("." + method + "(" + r.site(kind, m))
}

// mapCell writes probe.Map(m).
func (r *rewriter) mapCell(m ast.Expr) {
	r.upto(m.Pos())
	r.probe("Map")
	r.expr(m)
	r.write(")")
}

// mapDelete rewrites delete(m, k), which may be deferred.
func (r *rewriter) mapDelete(e *ast.CallExpr) {
	m, k := e.Args[0], e.Args[1]
	if !r.visible(sched.MapWrite, m) || r.effects(k).calls && !r.simple(m) {
		r.exprs(e.Args)
		return
	}
	r.drop(m.Pos())
	r.mapMethod(m, "Delete", sched.MapWrite)
	r.expr(k)
}

// mapClear rewrites clear(m), which may be deferred.
func (r *rewriter) mapClear(e *ast.CallExpr) {
	m := e.Args[0]
	if !r.visible(sched.MapWrite, m) {
		r.expr(m)
		return
	}
	r.drop(m.Pos())
	r.mapMethod(m, "Clear", sched.MapWrite)
}
