package instrument

import (
	"go/ast"
	"go/token"
)

// selectStmt rewrites the clauses of a select statement. A clause that receives into
// a visible location receives into a new variable, which is assigned once the clause
// is chosen.
func (r *rewriter) selectStmt(s *ast.SelectStmt) {
	for _, c := range s.Body.List {
		c := c.(*ast.CommClause)
		switch comm := c.Comm.(type) {
		case *ast.SendStmt:
			r.simpleStmt(comm, inHead)
		case *ast.ExprStmt:
			r.simpleStmt(comm, inHead)
		case *ast.AssignStmt:
			r.receive(c, comm)
		}
		r.stmts(c.Body)
	}
	r.upto(s.Body.Rbrace + 1)
}

// receive rewrites the assignment of a received value in a clause.
func (r *rewriter) receive(c *ast.CommClause, s *ast.AssignStmt) {
	r.markAssign(s)
	if s.Tok == token.DEFINE || !r.anyStores(s.Lhs) || r.effects(s.Lhs...).calls {
		r.plain(s)
		return
	}
	values := make([]held, len(s.Lhs))
	for i, l := range s.Lhs {
		r.upto(l.Pos())
		if isBlank(l) {
			r.write("_")
		} else {
			values[i].temp = r.temp()
			r.write(values[i].temp)
		}
		r.seek(r.end(l))
	}
	r.upto(s.TokPos)
	r.write(":")
	r.expr(s.Rhs[0])
	r.upto(c.Colon + 1)
	r.boolResult(values, s.Rhs[0], s.Lhs)
	for i, l := range s.Lhs {
		if !isBlank(l) {
			r.write(" ")
			r.store(target{expr: l}, func() { r.write(values[i].temp) })
			r.write(";")
		}
	}
	r.seek(c.Colon + 1)
}

// anyStores reports whether an assignment to one of the expressions gets a probe.
func (r *rewriter) anyStores(list []ast.Expr) bool {
	for _, l := range list {
		if r.stores(l) {
			return true
		}
	}
	return false
}
