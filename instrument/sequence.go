package instrument

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/coopvet/coop/runner/sched"
)

// target is one left-hand side of an assignment that becomes several statements.
type target struct {
	expr ast.Expr
	cell string // variable with the probe.At or probe.Map of the location, once it is evaluated
	key  string // variable with the index, if the location is an element of a map
}

// held is a value that is about to be assigned.
type held struct {
	temp string   // the variable that holds it
	expr ast.Expr // the constant or nil that it is, if temp is ""
}

// sequence writes the statements that an assignment becomes: evaluate the right-hand
// sides, then the locations, then assign from left to right. Locations come first if
// they are needed to give the values their types.
func (r *rewriter) sequence(s *ast.AssignStmt) {
	if s.Tok != token.ASSIGN {
		r.updateSequence(s.Lhs[0], s.Tok, s.Rhs[0])
		r.seek(r.end(s))
		return
	}
	targets := make([]target, len(s.Lhs))
	end := s.Pos()
	for i, l := range s.Lhs {
		targets[i].expr = l
		r.newlines(end, l.Pos())
		end = r.end(l)
	}
	r.newlines(end, s.Rhs[0].Pos())
	early := r.needsTypes(s)
	if early {
		r.locate(targets)
	}
	if m := r.mapElement(s.Lhs[0]); m != nil && len(targets) == 1 && !r.simple(m.Index) {
		targets[0].key = r.temp()
		r.write(targets[0].key + " := ")
		r.seek(m.Index.Pos())
		r.expr(m.Index)
		r.write("; ")
	}
	values := r.hold(s, targets)
	if !early && len(targets) > 1 {
		r.locate(targets)
	}
	for i, t := range targets {
		if i > 0 {
			r.write("; ")
		}
		r.store(t, func() { r.value(values[i]) })
	}
	r.seek(r.end(s))
}

// locate evaluates the locations that are no simple variables.
func (r *rewriter) locate(targets []target) {
	for i := range targets {
		t := &targets[i]
		if _, ok := ast.Unparen(t.expr).(*ast.Ident); ok {
			continue
		}
		t.cell = r.temp()
		r.seek(t.expr.Pos())
		r.write(t.cell + " := ")
		m := r.mapElement(t.expr)
		if m == nil {
			r.cell(t.expr)
			r.write("; ")
			continue
		}
		r.seek(m.X.Pos())
		r.mapCell(m.X)
		t.key = r.temp()
		r.write("; " + t.key + " := " + t.cell + ".Key(")
		r.seek(m.Index.Pos())
		r.expr(m.Index)
		r.write("); ")
	}
}

// hold declares variables with the right-hand sides of an assignment that are not
// constants, and returns the values to assign.
func (r *rewriter) hold(s *ast.AssignStmt, targets []target) []held {
	values := make([]held, len(s.Lhs))
	names := ""
	for i := range values {
		if len(s.Rhs) == len(s.Lhs) && r.fixed(s.Rhs[i]) {
			values[i].expr = s.Rhs[i]
			continue
		}
		values[i].temp = r.temp()
		if names != "" {
			names += ", "
		}
		names += values[i].temp
	}
	if names == "" {
		return values
	}
	r.write(names + " := ")
	if len(s.Rhs) < len(s.Lhs) {
		r.commaOK[ast.Unparen(s.Rhs[0])] = len(s.Lhs) == 2
		r.seek(s.Rhs[0].Pos())
		r.expr(s.Rhs[0])
		r.write("; ")
		r.boolResult(values, s.Rhs[0], s.Lhs)
		return values
	}
	end, separator := s.Rhs[0].Pos(), ""
	for i, v := range s.Rhs {
		if values[i].temp == "" {
			continue
		}
		r.write(separator)
		r.newlines(end, v.Pos())
		r.convert(v, targets[i])
		end, separator = r.end(v), ", "
	}
	r.write("; ")
	return values
}

// boolResult makes the second result of a comma-ok form, which is untyped, assignable
// to a variable of any boolean type.
func (r *rewriter) boolResult(values []held, v ast.Expr, lhs []ast.Expr) {
	if _, isCall := ast.Unparen(v).(*ast.CallExpr); isCall || len(values) != 2 {
		return
	}
	t := r.info.TypeOf(lhs[1])
	if !isBool(t) {
		values[1].temp += " == " + r.prefix + ".True"
	}
}

// convert rewrites v so that a variable declared with it can be assigned to t.
func (r *rewriter) convert(v ast.Expr, t target) {
	if r.holdable(v) || isBlank(t.expr) {
		r.seek(v.Pos())
		r.expr(v)
		return
	}
	if t.cell != "" {
		r.write(t.cell)
	} else {
		r.seek(t.expr.Pos())
		r.cell(t.expr)
	}
	r.write(".Val(")
	r.seek(v.Pos())
	r.expr(v)
	r.write(")")
}

// value writes a value that is held.
func (r *rewriter) value(h held) {
	if h.temp != "" {
		r.write(h.temp)
		return
	}
	r.seek(h.expr.Pos())
	r.expr(h.expr)
}

// store writes the assignment of a value to a target.
func (r *rewriter) store(t target, value func()) {
	m := r.mapElement(t.expr)
	_, ident := ast.Unparen(t.expr).(*ast.Ident)
	r.seek(t.expr.Pos())
	switch {
	case isBlank(t.expr):
		r.write("_ = ")
		value()
		return
	case !r.stores(t.expr) && (ident || t.cell == ""):
		r.assigned(t.expr)
		r.write(" = ")
		value()
		return
	case !r.stores(t.expr) && m != nil:
		r.write(t.cell + ".Set(" + t.key + ", ")
	case !r.stores(t.expr):
		r.write(t.cell + ".Set(")
	case m != nil && t.cell != "":
		r.write(t.cell + ".Store(" + r.site(sched.MapWrite, m.X) + ", " + t.key + ", ")
	case m != nil:
		r.seek(m.X.Pos())
		r.mapMethod(m.X, "Store", sched.MapWrite)
		r.write(", ")
		if t.key != "" {
			r.write(t.key)
		} else {
			r.seek(m.Index.Pos())
			r.expr(m.Index)
		}
		r.write(", ")
	case t.cell != "":
		r.write(t.cell + ".Store(" + r.site(sched.Write, t.expr) + ", ")
	default:
		r.cell(t.expr)
		r.write(".Store(" + r.site(sched.Write, t.expr) + ", ")
	}
	value()
	r.write(")")
}

func isBlank(e ast.Expr) bool {
	id, ok := ast.Unparen(e).(*ast.Ident)
	return ok && id.Name == "_"
}

// define rewrites a short variable declaration. New variables cannot be visible yet,
// but others on its left-hand side may be: a, err := f() becomes
// a, t := f(); probe.At(&err).Store(site, t).
func (r *rewriter) define(s *ast.AssignStmt) {
	old := make([]held, len(s.Lhs)) // the values of visible variables that are not new
	for i, l := range s.Lhs {
		id := l.(*ast.Ident)
		if id.Name == "_" || r.info.Defs[id] != nil || !r.shared(sched.Write, id) {
			continue
		}
		old[i].temp = r.temp()
		r.upto(id.Pos())
		r.write(old[i].temp)
		r.seek(id.End())
	}
	if len(s.Lhs) == 2 && len(s.Rhs) == 1 {
		r.commaForm(s.Rhs[0], old[1].temp != "" || isBool(r.info.TypeOf(s.Lhs[1])))
	}
	if len(s.Rhs) < len(s.Lhs) {
		r.expr(s.Rhs[0])
		r.boolResult(old, s.Rhs[0], s.Lhs)
	} else {
		for i, v := range s.Rhs {
			r.upto(v.Pos())
			if old[i].temp != "" {
				r.convert(v, target{expr: s.Lhs[i]})
			} else {
				r.expr(v)
			}
		}
	}
	for i, l := range s.Lhs {
		if old[i].temp != "" {
			r.write("; ")
			r.store(target{expr: l}, func() { r.write(old[i].temp) })
		}
	}
	r.seek(r.end(s))
}

// fixed reports whether v is a constant or nil, which needs no variable.
func (r *rewriter) fixed(v ast.Expr) bool {
	t := r.info.Types[v]
	return t.Value != nil || t.IsNil()
}

// holdable reports whether a variable declared with v has a type that is assignable
// to whatever v is assigned to.
func (r *rewriter) holdable(v ast.Expr) bool {
	return !r.fixed(v) && (r.typed(v) || types.Identical(r.info.TypeOf(v), types.Typ[types.Bool]))
}

// typed reports whether the type of v does not depend on its context, as that of
// comparisons and of shifts of constants does.
func (r *rewriter) typed(v ast.Expr) bool {
	if r.fixed(v) {
		return false
	}
	switch v := v.(type) {
	case *ast.ParenExpr:
		return r.typed(v.X)
	case *ast.UnaryExpr:
		return v.Op == token.AND || v.Op == token.ARROW || r.typed(v.X)
	case *ast.BinaryExpr:
		switch v.Op {
		case token.EQL, token.NEQ, token.LSS, token.LEQ, token.GTR, token.GEQ:
			return false
		case token.SHL, token.SHR:
			return r.typed(v.X)
		}
		return r.typed(v.X) || r.typed(v.Y)
	case *ast.CallExpr:
		switch r.builtinName(v) {
		case "min", "max", "real", "imag", "complex":
			for _, a := range v.Args {
				if r.typed(a) {
					return true
				}
			}
			return false
		}
	}
	return true
}
