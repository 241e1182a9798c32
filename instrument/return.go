package instrument

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/coopvet/coop/runner/sched"
)

// returnStmt rewrites a return statement. That it sets visible results is announced
// at its end: { t := f(); probe.Write(site, &err); return t }.
func (r *rewriter) returnStmt(s *ast.ReturnStmt) {
	r.markLate(s.Results...)
	results := r.visibleResults(s)
	if len(results) == 0 {
		r.exprs(s.Results)
		return
	}
	r.write("{ ")
	values := r.holdResults(s)
	for _, id := range results {
		r.probe("Write")
		r.write(r.site(sched.Write, id) + ", &" + id.Name + "); ")
	}
	r.write("return ")
	for i, v := range values {
		if i > 0 {
			r.write(", ")
		}
		r.value(v)
	}
	r.write(" }")
	r.seek(r.end(s))
}

// visibleResults returns the named results of the function which s sets and which
// other goroutines may reach; none if s cannot be rewritten. A result that is returned as
// itself is not set: gc makes no assignment of it, in no position.
func (r *rewriter) visibleResults(s *ast.ReturnStmt) []*ast.Ident {
	if len(s.Results) == 0 || r.fn.typ.Results == nil {
		return nil
	}
	for _, v := range s.Results {
		if !r.simple(v) && !r.fixed(v) && !r.holdable(v) {
			return nil
		}
	}
	var visible []*ast.Ident
	scope := r.pkg.Scope().Innermost(s.Pos())
	n := -1
	for _, f := range r.fn.typ.Results.List {
		for _, id := range f.Names {
			n++
			if !r.shared(sched.Write, id) || n < len(s.Results) && r.denotes(s.Results[n], id) {
				continue
			}
			if _, v := scope.LookupParent(id.Name, s.Pos()); v == r.info.Defs[id] { // not shadowed
				visible = append(visible, id)
			}
		}
	}
	return visible
}

// denotes reports whether v is the variable that is declared as id.
func (r *rewriter) denotes(v ast.Expr, id *ast.Ident) bool {
	use, ok := ast.Unparen(v).(*ast.Ident)
	return ok && r.info.Uses[use] != nil && r.info.Uses[use] == r.info.Defs[id]
}

// holdResults declares variables with the results that are not simple, and returns
// the values to return.
func (r *rewriter) holdResults(s *ast.ReturnStmt) []held {
	n := len(s.Results)
	if t, ok := r.info.TypeOf(s.Results[0]).(*types.Tuple); ok {
		n = t.Len()
	}
	values := make([]held, n)
	names := ""
	for i := range values {
		if n == len(s.Results) && r.simple(s.Results[i]) {
			values[i].expr = s.Results[i]
			continue
		}
		values[i].temp = r.temp()
		if names != "" {
			names += ", "
		}
		names += values[i].temp
	}
	end := s.Pos() + token.Pos(len("return"))
	if names != "" {
		r.write(names + " := ")
	}
	separator := ""
	for i, v := range s.Results {
		r.newlines(end, v.Pos())
		if end = r.end(v); values[i].temp != "" {
			r.write(separator)
			r.seek(v.Pos())
			r.expr(v)
			separator = ", "
		}
	}
	if names != "" {
		r.write("; ")
	}
	return values
}
