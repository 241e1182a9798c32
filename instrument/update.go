package instrument

import (
	"go/ast"
	"go/constant"
	"go/token"

	"github.com/coopvet/coop/runner/sched"
)

// updates maps the assignment operations to their probes.
var updates = map[token.Token]string{
	token.ADD_ASSIGN: "Add", token.INC: "Add",
	token.SUB_ASSIGN: "Sub", token.DEC: "Sub",
	token.MUL_ASSIGN:     "Mul",
	token.QUO_ASSIGN:     "Quo",
	token.REM_ASSIGN:     "Rem",
	token.AND_ASSIGN:     "And",
	token.OR_ASSIGN:      "Or",
	token.XOR_ASSIGN:     "Xor",
	token.AND_NOT_ASSIGN: "AndNot",
	token.SHL_ASSIGN:     "Shl",
	token.SHR_ASSIGN:     "Shr",
}

// updateNeedsSequence reports whether l op= v becomes several statements. v is nil
// in l++ and l--.
func (r *rewriter) updateNeedsSequence(l, v ast.Expr) bool {
	if !r.stores(l) {
		return false
	}
	if m := r.mapElement(l); m != nil {
		return !r.simpleUpdate(m, v)
	}
	return v != nil && r.effects(l).calls && !r.simple(v)
}

// simpleUpdate reports whether m[k] op= v can keep its form.
func (r *rewriter) simpleUpdate(m *ast.IndexExpr, v ast.Expr) bool {
	return r.simple(m.Index) && (v == nil || r.simple(v))
}

// update rewrites l op= v, l++ and l-- to one expression.
func (r *rewriter) update(s ast.Stmt, l ast.Expr, op token.Token, v ast.Expr) {
	m := r.mapElement(l)
	switch {
	case m != nil && r.stores(l) && r.simpleUpdate(m, v):
		r.announced("MapWrite", sched.MapWrite, m.X)
		r.expr(m.Index)
	case m == nil && r.stores(l):
		r.updateCall(l, op, v, func() {
			r.write("&")
			r.seek(l.Pos())
			r.location(l)
		})
		r.seek(r.end(s))
		return
	default:
		r.markLate(l, v)
		r.assigned(l)
	}
	if v != nil {
		r.expr(v)
	}
}

// updateCall writes the call of the probe for an assignment operation.
func (r *rewriter) updateCall(l ast.Expr, op token.Token, v ast.Expr, location func()) {
	r.probe(updates[op])
	r.write(r.site(sched.Read, l) + ", ")
	r.site(sched.Write, l)
	switch {
	case v == nil:
		r.write("1")
	case op == token.SHL_ASSIGN || op == token.SHR_ASSIGN:
		r.shiftCount(v)
	default:
		r.seek(r.end(l))
		r.drop(v.Pos())
		r.expr(v)
	}
	r.write(", ")
	location()
	r.write(")")
}

// shiftCount writes the operand of a shift. A constant may be untyped, as 1.0.
func (r *rewriter) shiftCount(v ast.Expr) {
	if c := r.info.Types[v].Value; c != nil {
		r.write(constant.ToInt(c).ExactString())
		return
	}
	r.seek(v.Pos())
	r.expr(v)
}

// updateSequence writes l op= v as several statements.
func (r *rewriter) updateSequence(l ast.Expr, op token.Token, v ast.Expr) {
	m := r.mapElement(l)
	if m == nil {
		p := r.temp()
		r.write(p + " := &")
		r.seek(l.Pos())
		r.location(l)
		r.write("; ")
		r.updateCall(l, op, v, func() { r.write(p) })
		return
	}
	// A map that is the result of a call is evaluated first, other maps last, as gc does.
	table := func() { r.seek(m.X.Pos()); r.expr(m.X) }
	if r.effects(m.X).calls {
		table = r.keep(m.X, nil)
	}
	convert := func(method string) func() {
		return func() {
			r.probe("Map")
			table()
			r.write(")." + method + "(")
		}
	}
	key := r.keep(m.Index, convert("Key"))
	operand := func() {}
	switch {
	case v == nil:
	case op == token.SHL_ASSIGN || op == token.SHR_ASSIGN:
		operand = r.keep(v, nil)
	default:
		operand = r.keep(v, convert("Val"))
	}
	r.probe("MapWrite")
	r.write(r.site(sched.MapWrite, m.X) + ", ")
	table()
	r.write(")[")
	key()
	r.write("] " + op.String() + " ")
	operand()
}

// keep evaluates e, unless it may as well be evaluated later, and returns a function
// that writes its value. convert writes the start of a call that gives e its type,
// where it depends on the context.
func (r *rewriter) keep(e ast.Expr, convert func()) func() {
	if r.simple(e) {
		return func() { r.seek(e.Pos()); r.expr(e) }
	}
	t, closing := r.temp(), "; "
	r.write(t + " := ")
	if convert != nil && !r.holdable(e) {
		convert()
		closing = "); "
	}
	r.seek(e.Pos())
	r.expr(e)
	r.write(closing)
	return func() { r.write(t) }
}
