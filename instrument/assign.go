package instrument

import (
	"go/ast"
	"go/token"
	"slices"

	"github.com/coopvet/coop/runner/sched"
)

// An assignment to a visible location becomes probe.At(&x.f).Store(site, v). Where
// the location must be evaluated after the value, or there are several of them, a
// sequence of statements with temporary variables takes its place.

// where says what may stand in the place of a simple statement.
type where int

const (
	inList where = iota // in a list of statements: a block
	inHead              // in the head of a statement: one expression
)

// assign rewrites an assignment or short variable declaration.
func (r *rewriter) assign(s *ast.AssignStmt, at where) {
	r.markAssign(s)
	switch {
	case s.Tok == token.DEFINE:
		r.define(s)
	case r.needsSequence(s):
		r.braced(at, func() { r.sequence(s) })
	case s.Tok != token.ASSIGN:
		r.update(s, s.Lhs[0], s.Tok, s.Rhs[0])
	default:
		r.assignSingle(s)
	}
	r.upto(r.end(s))
}

// markAssign marks late reads in an assignment whose locations and values are evaluated
// one after the other.
func (r *rewriter) markAssign(s *ast.AssignStmt) {
	for _, l := range s.Lhs {
		r.markLate(l)
	}
	r.markLate(s.Rhs...)
}

// braced writes a sequence of statements where one stood.
func (r *rewriter) braced(at where, sequence func()) {
	if at == inList {
		r.write("{ ")
		sequence()
		r.write(" }")
	} else {
		r.write("func() { ")
		sequence()
		r.write(" }()")
	}
}

// needsSequence reports whether a statement that does not declare variables becomes
// several.
func (r *rewriter) needsSequence(s ast.Stmt) bool {
	a, ok := s.(*ast.AssignStmt)
	switch {
	case !ok || a.Tok == token.DEFINE:
		return false
	case a.Tok != token.ASSIGN:
		return r.updateNeedsSequence(a.Lhs[0], a.Rhs[0])
	case len(a.Lhs) > 1:
		return r.anyStores(a.Lhs) && !r.entangled(a)
	}
	l, v := a.Lhs[0], a.Rhs[0]
	if !r.stores(l) || !r.holdable(v) && !r.fixed(v) {
		return false
	}
	if m := r.mapElement(l); m != nil && (r.simple(m.Index) || r.holdable(m.Index)) {
		return !r.effects(m.X).calls && r.effects(m.Index, v).calls
	}
	return r.lateLocation(l, v)
}

// entangled reports whether calls and locations of a tuple assignment cannot be taken
// apart: calls stand in the locations, or in values whose types come from them. Such an
// assignment has no probes.
func (r *rewriter) entangled(a *ast.AssignStmt) bool {
	return r.effects(a.Lhs...).calls || r.needsTypes(a) && r.effects(a.Rhs...).calls
}

// needsTypes reports whether values of a tuple assignment have no types of their own.
func (r *rewriter) needsTypes(a *ast.AssignStmt) bool {
	for _, v := range a.Rhs {
		if len(a.Lhs) == len(a.Rhs) && !r.fixed(v) && !r.holdable(v) {
			return true
		}
	}
	return false
}

// stores reports whether an assignment to l gets a probe.
func (r *rewriter) stores(l ast.Expr) bool {
	if m := r.mapElement(l); m != nil {
		return r.visible(sched.MapWrite, m.X)
	}
	return r.shared(sched.Write, l)
}

// mapElement returns l if it is m[k] of a map, otherwise nil.
func (r *rewriter) mapElement(l ast.Expr) *ast.IndexExpr {
	if e, ok := ast.Unparen(l).(*ast.IndexExpr); ok && isMap(r.info.TypeOf(e.X)) {
		return e
	}
	return nil
}

// lateLocation reports whether it matters that gc evaluates the location l after the
// calls in v: they may change where it is, and do their work even if it is nowhere.
func (r *rewriter) lateLocation(l, v ast.Expr) bool {
	if !r.effects(v).calls {
		return false
	}
	f := r.operandEffects(l)
	return (f.loads || f.panic) && !f.calls
}

// movingLocation reports whether the calls of an assignment may change where the
// location l is, though it is evaluated before that of v. Then there is no probe.
func (r *rewriter) movingLocation(l, v ast.Expr) bool {
	return r.effects(v).calls && r.operandEffects(l).loads
}

// operandEffects is effects of evaluating where l is.
func (r *rewriter) operandEffects(l ast.Expr) effects {
	var f effects
	switch l := l.(type) {
	case *ast.Ident:
	case *ast.ParenExpr:
		return r.operandEffects(l.X)
	case *ast.StarExpr:
		f = r.effects(l.X)
		f.panic = true
	case *ast.SelectorExpr:
		s := r.info.Selections[l]
		switch {
		case s == nil: // a variable of another package
		case pointee(r.info.TypeOf(l.X)) != nil:
			f = r.effects(l.X)
			f.panic = true
		default:
			f = r.operandEffects(l.X)
			f.panic = f.panic || throughPointer(s)
		}
	case *ast.IndexExpr:
		f = r.effects(l.Index)
		f.panic = true
		if isArray(r.info.TypeOf(l.X)) {
			f = f.or(r.operandEffects(l.X))
		} else {
			f = f.or(r.effects(l.X))
		}
	}
	return f
}

// assignSingle rewrites l = v to one expression.
func (r *rewriter) assignSingle(s *ast.AssignStmt) {
	l, v := s.Lhs[0], s.Rhs[0]
	m := r.mapElement(l)
	switch {
	case len(s.Lhs) > 1 || !r.stores(l) || r.movingLocation(l, v):
		r.plain(s)
	case m != nil && r.simple(m.Index) && r.simple(v):
		r.announced("MapWrite", sched.MapWrite, m.X)
		r.expr(m.Index)
		r.expr(v)
	case m != nil:
		r.mapMethod(m.X, "Store", sched.MapWrite)
		r.write(", ")
		r.drop(m.Index.Pos())
		r.expr(m.Index)
		r.write(", ")
		r.drop(v.Pos())
		r.expr(v)
		r.write(")")
	default:
		r.cell(l)
		r.write(".Store(" + r.site(sched.Write, l) + ",")
		r.seek(s.TokPos + 1)
		r.expr(v)
		r.write(")")
	}
}

// plain rewrites the operands of an assignment that has no probe.
func (r *rewriter) plain(s *ast.AssignStmt) {
	if len(s.Lhs) == 2 && len(s.Rhs) == 1 {
		r.commaForm(s.Rhs[0], isBool(r.info.TypeOf(s.Lhs[1])))
	}
	unit := slices.Clone(s.Rhs)
	for _, l := range s.Lhs {
		if m := r.mapElement(l); m != nil {
			unit = append(unit, m.X, m.Index) // the element is not read
		} else {
			unit = append(unit, l)
		}
	}
	r.markLate(unit...)
	for _, l := range s.Lhs {
		r.assigned(l)
	}
	r.exprs(s.Rhs)
}

// assigned rewrites the operands of a left-hand side that has no probe.
func (r *rewriter) assigned(l ast.Expr) {
	if m := r.mapElement(l); m != nil {
		r.expr(m.X)
		r.expr(m.Index)
		r.upto(r.end(l))
		return
	}
	r.location(l)
}

// cell writes probe.At(&l).
func (r *rewriter) cell(l ast.Expr) {
	r.upto(l.Pos())
	r.probe("At")
	r.write("&")
	r.location(l)
	r.write(")")
}
