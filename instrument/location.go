package instrument

import (
	"go/ast"
	"go/types"

	"github.com/coopvet/coop/runner/sched"
)

// place says what kind of memory an expression denotes.
type place int

const (
	noPlace     place = iota // a value without an address
	localPlace               // in a local variable
	sharedPlace              // other goroutines may reach it
)

func (r *rewriter) place(e ast.Expr) place {
	switch e := e.(type) {
	case *ast.Ident:
		v, ok := r.info.ObjectOf(e).(*types.Var)
		switch {
		case !ok || e.Name == "_":
			return noPlace
		case r.locals.reachable(v):
			return sharedPlace
		}
		return localPlace
	case *ast.ParenExpr:
		return r.place(e.X)
	case *ast.StarExpr:
		return sharedPlace
	case *ast.IndexExpr:
		switch core(r.info.TypeOf(e.X)).(type) {
		case *types.Slice, *types.Pointer:
			return sharedPlace
		case *types.Array:
			return r.place(e.X)
		}
	case *ast.SelectorExpr:
		s := r.info.Selections[e]
		switch {
		case s == nil:
			return r.place(e.Sel) // a qualified identifier
		case s.Kind() != types.FieldVal:
			return noPlace
		case throughPointer(s):
			return sharedPlace
		}
		return r.place(e.X)
	}
	return noPlace
}

// shared reports whether the expression is a location that gets a probe.
func (r *rewriter) shared(kind sched.Kind, e ast.Expr) bool {
	return r.place(e) == sharedPlace && !empty(r.info.TypeOf(e)) && r.visible(kind, e)
}

// load rewrites the location e, whose value is wanted.
func (r *rewriter) load(e ast.Expr) {
	if r.late[e] || !r.shared(sched.Read, e) {
		r.location(e)
		return
	}
	r.upto(e.Pos())
	r.probe("Load")
	r.write(r.site(sched.Read, e) + ", &")
	r.location(e)
	r.write(")")
}

// location rewrites the operands of e, so that the result denotes the same location
// as e if e has an address.
func (r *rewriter) location(e ast.Expr) {
	if t := r.info.Types[e]; t.IsType() || t.Value != nil {
		r.upto(r.end(e))
		return
	}
	switch e := e.(type) {
	case *ast.Ident:
	case *ast.ParenExpr:
		r.location(e.X)
	case *ast.StarExpr:
		r.expr(e.X)
	case *ast.IndexExpr:
		r.index(e)
		return
	case *ast.SelectorExpr:
		r.selector(e)
		return
	default:
		r.expr(e)
	}
	r.upto(r.end(e))
}

// index rewrites an index expression or the instantiation of a generic function.
func (r *rewriter) index(e *ast.IndexExpr) {
	switch core(r.info.TypeOf(e.X)).(type) {
	case *types.Map:
		r.mapIndex(e)
		return
	case *types.Array:
		r.location(e.X)
	case *types.Slice:
		if r.late[e.X] && !r.late[e] && !r.effects(e.X).calls && r.shared(sched.Read, e.X) {
			r.lateElement(e)
			return
		}
		r.expr(e.X)
	default:
		r.expr(e.X)
	}
	r.expr(e.Index)
	r.upto(r.end(e))
}

// lateElement rewrites s[f()]. The call may set s, and gc reads s after it.
func (r *rewriter) lateElement(e *ast.IndexExpr) {
	r.upto(e.Pos())
	r.write("(*")
	r.probe("Element")
	r.seek(e.Index.Pos())
	r.expr(e.Index)
	r.write(", " + r.site(sched.Read, e.X) + ", &")
	r.seek(e.X.Pos())
	r.location(e.X)
	r.newlines(r.end(e.X), e.Index.Pos())
	r.write("))")
	r.seek(r.end(e))
}

// operand rewrites x where it stands before a selector.
func (r *rewriter) operand(x ast.Expr) {
	if pointee(r.info.TypeOf(x)) != nil {
		r.expr(x)
	} else {
		r.location(x)
	}
}

// selector rewrites the operand of x.f, where f may be a package's member, a field, a
// method, or a method expression.
func (r *rewriter) selector(e *ast.SelectorExpr) {
	s := r.info.Selections[e]
	switch {
	case s == nil || s.Kind() == types.MethodExpr:
	case s.Kind() == types.FieldVal:
		p := r.path(e, s)
		if n := len(p.fields) - 1; p.hops() && r.accessible(p.fields[:n]) {
			r.pathOperand(p, n)
		} else {
			r.operand(e.X)
		}
	default:
		r.receiver(e, s)
	}
	r.upto(r.end(e))
}

// receiver rewrites x of the method x.M. The receiver may be a field that x embeds.
func (r *rewriter) receiver(e *ast.SelectorExpr, s *types.Selection) {
	p := r.path(e, s)
	n := len(p.fields)
	if !r.accessible(p.fields) {
		r.operand(e.X)
		return
	}
	byPointer := pointee(s.Obj().(*types.Func).Signature().Recv().Type()) != nil
	recv := pointee(p.typ(n))
	switch {
	case recv != nil && !byPointer && !types.IsInterface(recv) && !empty(recv) && !r.late[e] && r.visible(sched.Read, e):
		// The method gets a copy of what the pointer points to.
		r.upto(e.Pos())
		r.probe("Load")
		r.write(r.site(sched.Read, e) + ", ")
		r.pathValue(p, n)
		r.write(")")
	case recv == nil && byPointer:
		r.pathLocation(p, n)
	default:
		r.pathValue(p, n)
	}
}

// path is x.f1.f2…, the fields that a selector names or skips because they are embedded.
type path struct {
	sel    *ast.SelectorExpr
	start  types.Type // of x
	fields []*types.Var
}

// path returns the fields on the way to the selected field, which is the last one, or
// method, which is not included.
func (r *rewriter) path(e *ast.SelectorExpr, s *types.Selection) path {
	p := path{sel: e, start: r.info.TypeOf(e.X)}
	index := s.Index()
	if s.Kind() == types.MethodVal {
		index = index[:len(index)-1]
	}
	t := p.start
	for _, i := range index {
		if elem := pointee(t); elem != nil {
			t = elem
		}
		f := core(t).(*types.Struct).Field(i)
		p.fields = append(p.fields, f)
		t = f.Type()
	}
	return p
}

// typ is the type of x.f1…fn.
func (p path) typ(n int) types.Type {
	if n == 0 {
		return p.start
	}
	return p.fields[n-1].Type()
}

// hops reports whether a skipped field of a field selector is a pointer, and is read.
func (p path) hops() bool {
	for i := 1; i < len(p.fields); i++ {
		if pointee(p.typ(i)) != nil {
			return true
		}
	}
	return false
}

// accessible reports whether this package may name the fields.
func (r *rewriter) accessible(fields []*types.Var) bool {
	for _, f := range fields {
		if !f.Exported() && f.Pkg() != r.pkg {
			return false
		}
	}
	return true
}

// pathLocation writes the location x.f1…fn.
func (r *rewriter) pathLocation(p path, n int) {
	if n == 0 {
		r.location(p.sel.X)
		return
	}
	r.pathOperand(p, n-1)
	r.write("." + p.fields[n-1].Name())
}

// pathOperand writes x.f1…fn where a selector follows.
func (r *rewriter) pathOperand(p path, n int) {
	if pointee(p.typ(n)) != nil {
		r.pathValue(p, n)
	} else {
		r.pathLocation(p, n)
	}
}

// pathValue writes the value of x.f1…fn.
func (r *rewriter) pathValue(p path, n int) {
	switch {
	case n == 0:
		r.expr(p.sel.X)
	case r.pathShared(p, n) && !empty(p.typ(n)) && !r.late[p.sel] && r.visible(sched.Read, p.sel):
		r.upto(p.sel.Pos())
		r.probe("Load")
		r.write(r.newSite(r.access(sched.Read, p.sel), r.pathText(p, n)) + ", &")
		r.pathLocation(p, n)
		r.write(")")
	default:
		r.pathLocation(p, n)
	}
}

// pathText is x.f1…fn as a report shows it.
func (r *rewriter) pathText(p path, n int) string {
	s := string(r.text(p.sel.X.Pos(), r.end(p.sel.X)))
	for _, f := range p.fields[:n] {
		s += "." + f.Name()
	}
	return s
}

// pathShared is place(x.f1…fn) == sharedPlace.
func (r *rewriter) pathShared(p path, n int) bool {
	if n == 0 {
		return r.place(p.sel.X) == sharedPlace
	}
	return pointee(p.typ(n-1)) != nil || r.pathShared(p, n-1)
}
