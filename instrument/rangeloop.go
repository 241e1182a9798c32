package instrument

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/coopvet/coop/runner/sched"
)

// loop is how a range statement is rewritten.
//
// The elements of a slice are read one by one by the loop. Where nothing forbids it,
// the loop runs over the indices, and its body begins with the read:
//
//	{ t := x.s; for i := range t { v := probe.Load(site, &t[i]); { … } } }
//
// Where the loop's variables must stay its own, and for maps, the read of an element
// is announced at the beginning of the body, next to it.
type loop struct {
	*ast.RangeStmt
	elements bool // the elements of a slice, or of an array behind a pointer, are visible
	table    bool // the operations on the map are visible
	assigns  bool // the loop assigns to visible locations
	shared   bool // the loop sets its own variables, which closures share, again each time

	over       string // variable with the operand; "" if it stands in the loop
	key, value string // the loop's variables, if they have other names than in the source
}

// byIndex reports whether the loop runs over the indices and its body reads the
// elements.
func (l *loop) byIndex() bool { return l.elements && !l.shared }

// rangeStmt rewrites a range statement and its label.
func (r *rewriter) rangeStmt(s *ast.RangeStmt, label *ast.LabeledStmt) {
	r.markLate(s.X)
	l := r.plan(s, label)
	if l.over == "" {
		r.label(label)
		r.upto(s.Pos())
		r.loopHead(l)
		r.loopBody(l)
		return
	}
	if label != nil {
		r.upto(label.Pos())
		r.seek(label.Colon + 1)
	}
	r.upto(s.Pos())
	r.write("{ " + l.over + " := ")
	r.seek(s.X.Pos())
	r.expr(s.X)
	r.write("; ")
	if label != nil {
		r.write(label.Label.Name + ": ")
	}
	r.seek(s.Pos())
	r.loopHead(l)
	r.loopBody(l)
	r.write(" }")
}

// plan decides how the statement is rewritten.
func (r *rewriter) plan(s *ast.RangeStmt, label *ast.LabeledStmt) *loop {
	l := &loop{RangeStmt: s}
	vars := l.vars()
	l.assigns = s.Tok == token.ASSIGN && r.anyStores(vars)
	if s.Tok == token.DEFINE && !r.locals.perIteration {
		for _, v := range vars {
			l.shared = l.shared || r.shared(sched.Write, v)
		}
	}
	value := s.Value != nil && !isBlank(s.Value)
	if !r.jumpedTo(label) {
		switch t := core(r.info.TypeOf(s.X)).(type) {
		case *types.Slice:
			_, fresh := ast.Unparen(s.X).(*ast.CompositeLit)
			l.elements = value && !fresh && !empty(t.Elem()) && r.visibleElements(sched.Read, s.X)
		case *types.Pointer:
			l.elements = value && !empty(r.info.TypeOf(s.Value)) && r.visibleElements(sched.Read, s.X)
		case *types.Map:
			l.table = r.visible(sched.MapRead, s.X)
		}
	}
	if l.elements || l.table {
		l.over = r.temp()
	}
	replaced := s.Tok == token.ASSIGN && (l.assigns || l.elements)
	if key := s.Key != nil && !isBlank(s.Key); replaced && key || l.elements && !key {
		l.key = r.temp()
	}
	if replaced && value && !l.byIndex() {
		l.value = r.temp()
	}
	return l
}

// vars returns the iteration variables.
func (l *loop) vars() []ast.Expr {
	var vars []ast.Expr
	for _, v := range []ast.Expr{l.Key, l.Value} {
		if v != nil && !isBlank(v) {
			vars = append(vars, v)
		}
	}
	return vars
}

// loopHead writes the statement up to its body.
func (r *rewriter) loopHead(l *loop) {
	switch {
	case l.key == "" && l.value == "" && !l.byIndex():
		if l.Tok == token.ASSIGN {
			for _, v := range []ast.Expr{l.Key, l.Value} {
				if v != nil {
					r.assigned(v)
				}
			}
		}
		r.upto(l.X.Pos())
	default:
		r.write("for " + r.keyName(l))
		if l.Value != nil && !l.byIndex() {
			value := l.value
			if value == "" {
				value = string(r.text(l.Value.Pos(), l.Value.End()))
			}
			r.write(", " + value)
		}
		r.write(" := range ")
		r.newlines(l.Pos(), l.X.Pos())
	}
	r.seek(l.X.Pos())
	r.rangeOperand(l)
	r.seek(r.end(l.X))
}

// keyName is the name of the first iteration variable.
func (r *rewriter) keyName(l *loop) string {
	if l.key != "" || l.Key == nil {
		return l.key
	}
	return string(r.text(l.Key.Pos(), l.Key.End()))
}

// rangeOperand writes the operand of range.
func (r *rewriter) rangeOperand(l *loop) {
	switch core(r.info.TypeOf(l.X)).(type) {
	case *types.Map:
		if l.table {
			r.probe("MapRead")
			r.write(r.site(sched.MapRead, l.X) + ", " + l.over + ")")
			return
		}
	case *types.Array, *types.Pointer:
		switch {
		case l.over != "":
		case (l.Value == nil || isBlank(l.Value)) && !r.effects(l.X).calls:
			r.upto(r.end(l.X)) // only its length matters, which is constant
			return
		case l.Value == nil || isBlank(l.Value):
			r.operand(l.X)
			return
		}
	case *types.Basic:
		if r.fixed(l.X) && l.key != "" {
			// An untyped constant takes the type of the variable.
			r.seek(l.Key.Pos())
			r.cell(l.Key)
			r.write(".Val(")
			r.seek(l.X.Pos())
			r.expr(l.X)
			r.write(")")
			return
		}
	}
	if l.over != "" {
		r.write(l.over)
		return
	}
	r.expr(l.X)
}

// loopBody writes the body, with what its beginning must do for the loop.
func (r *rewriter) loopBody(l *loop) {
	r.upto(l.Body.Lbrace + 1)
	if l.table {
		r.write(" ")
		r.probe("MapRead")
		r.write(r.site(sched.MapRead, l.X) + ", " + l.over + ");")
	}
	scope := false
	switch {
	case l.byIndex() && l.Tok == token.DEFINE:
		r.write(" " + string(r.text(l.Value.Pos(), l.Value.End())) + " := ")
		r.element("Load", l)
		r.write("; {") // the body may declare the variable again
		scope = true
	case l.elements && !l.byIndex():
		r.write(" ")
		r.element("Read", l)
		r.write(";")
	}
	if l.shared {
		for _, v := range l.vars() {
			if r.shared(sched.Write, v) {
				r.write(" ")
				r.probe("Write")
				r.write(r.site(sched.Write, v) + ", &" + string(r.text(v.Pos(), v.End())) + ");")
			}
		}
	}
	if l.Tok == token.ASSIGN && (l.key != "" || l.value != "") {
		r.assignVars(l)
	}
	r.seek(l.Body.Lbrace + 1)
	r.stmts(l.Body.List)
	if scope {
		r.upto(l.Body.Rbrace)
		r.write("}")
	}
	r.upto(l.Body.Rbrace + 1)
}

// element writes a probe of the element of this iteration.
func (r *rewriter) element(probe string, l *loop) {
	r.probe(probe)
	r.write(r.siteElements(sched.Read, l.X) + ", &" + l.over + "[" + r.keyName(l) + "])")
}

// assignVars assigns to the iteration variables of the source.
func (r *rewriter) assignVars(l *loop) {
	var targets []target
	var values []func()
	if l.Key != nil && !isBlank(l.Key) {
		targets = append(targets, target{expr: l.Key})
		values = append(values, func() { r.write(l.key) })
	}
	if l.Value != nil && !isBlank(l.Value) {
		targets = append(targets, target{expr: l.Value})
		values = append(values, func() {
			if l.byIndex() {
				r.element("Load", l)
			} else {
				r.write(l.value)
			}
		})
	}
	r.write(" ")
	r.locate(targets)
	for i, t := range targets {
		r.store(t, values[i])
		r.write(";")
	}
}
