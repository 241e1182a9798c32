package instrument

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/coopvet/coop/escape/library"
	"github.com/coopvet/coop/runner/sched"
)

// libraryCall rewrites e if it calls a function of the standard library that always
// accesses memory of ours, as b.WriteString does, and reports whether it does and gets a
// probe, which stands around the operand: probe(site, &b).WriteString(s). The arguments
// are evaluated after it, so nothing in them may be a scheduling point.
func (r *rewriter) libraryCall(e *ast.CallExpr) bool {
	fun := ast.Unparen(e.Fun)
	f := r.callee(fun)
	a, ok := library.Of(f)
	if r.fn == nil || !ok || a.Arg >= len(e.Args) || e.Ellipsis.IsValid() || r.effects(e.Args...).calls || a.Formats && !r.formatsPlainly(e.Args[1:]) {
		return false
	}
	before := r.mark()
	kind, probe := libraryProbe(a)
	if a.Arg < 0 {
		sel, ok := fun.(*ast.SelectorExpr)
		if !ok || !r.libraryReceiver(e, sel, a, kind, probe) {
			return false
		}
	} else if !r.libraryArgument(e, a, kind, probe) {
		return false
	}
	sites := len(r.sites)
	if a.Arg < 0 {
		r.exprs(e.Args)
	} else {
		r.exprs(e.Args[a.Arg+1:])
	}
	if len(r.sites) > sites {
		r.reset(before)
		return false
	}
	return true
}

func libraryProbe(a library.Access) (kind sched.Kind, probe string) {
	switch {
	case a.Memory == library.Map && a.Write:
		return sched.MapWrite, "MapWrite"
	case a.Memory == library.Map:
		return sched.MapRead, "MapRead"
	case a.Memory == library.Elements:
		return sched.Read, "ReadElements"
	case a.Write:
		return sched.Write, "WriteObject"
	}
	return sched.Read, "ReadObject"
}

// libraryReceiver rewrites x.M up to its arguments.
func (r *rewriter) libraryReceiver(e *ast.CallExpr, sel *ast.SelectorExpr, a library.Access, kind sched.Kind, probe string) bool {
	p := r.path(sel, r.info.Selections[sel])
	n := len(p.fields)
	access := Access{Kind: kind, Expr: e, Library: true}
	byValue := a.Memory == library.Object && pointee(p.typ(n)) == nil
	if a.Memory == library.Map && pointee(p.typ(n)) != nil {
		return false
	}
	if !r.accessible(p.fields) || byValue && !r.pathShared(p, n) || !r.allowed(access) {
		return false
	}
	r.upto(e.Pos())
	r.probe(probe)
	r.write(r.newSite(access, r.pathText(p, n)) + ", ")
	if byValue {
		r.write("&")
		r.pathLocation(p, n)
	} else {
		r.pathValue(p, n)
	}
	r.write(")")
	r.upto(r.end(e.Fun))
	return true
}

// libraryArgument rewrites F(…, x up to the arguments that follow.
func (r *rewriter) libraryArgument(e *ast.CallExpr, a library.Access, kind sched.Kind, probe string) bool {
	x := e.Args[a.Arg]
	t := r.info.TypeOf(x)
	shown := x
	switch {
	case a.Memory == library.Object && !library.Writer(t), core(t) == nil, r.info.Types[x].IsNil():
		return false
	case a.Memory == library.Object:
		if u, ok := ast.Unparen(x).(*ast.UnaryExpr); ok {
			if r.place(u.X) != sharedPlace {
				return false
			}
			shown = u.X
		}
	}
	access := Access{Kind: kind, Expr: e, Library: true}
	if !r.allowed(access) {
		return false
	}
	text := string(r.text(shown.Pos(), r.end(shown)))
	if a.Memory == library.Elements {
		text += "[…]"
	}
	r.upto(e.Pos())
	r.upto(r.end(e.Fun))
	r.exprs(e.Args[:a.Arg])
	r.upto(x.Pos())
	r.probe(probe)
	r.write(r.newSite(access, text) + ", ")
	r.expr(x)
	r.write(")")
	return true
}

// formatsPlainly reports whether the arguments have no methods that package fmt would call.
func (r *rewriter) formatsPlainly(args []ast.Expr) bool {
	for _, a := range args {
		if _, ok := types.Unalias(r.info.TypeOf(a)).(*types.Basic); !ok {
			return false
		}
	}
	return true
}

// state is how far a rewriter has come.
type state struct {
	out, sites, temps, literals int
	cursor                      token.Pos
}

func (r *rewriter) mark() state {
	return state{r.out.Len(), len(r.sites), r.temps, r.fn.literals, r.cursor}
}

// reset undoes what has been rewritten since.
func (r *rewriter) reset(s state) {
	r.out.Truncate(s.out)
	r.sites, r.temps, r.fn.literals, r.cursor = r.sites[:s.sites], s.temps, s.literals, s.cursor
}
