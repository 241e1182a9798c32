package instrument

import (
	"go/ast"
	"go/token"
	"go/types"
	"math"
)

// locals knows which variables of functions other goroutines may reach. The rest
// needs no probes. A variable is local if
//
//   - its address is never taken, neither by & nor by a call of a method with pointer
//     receiver nor by slicing an array, and
//   - no function literal captures it; or it is never assigned once a literal that
//     captures it may exist.
//
// A literal that is called or deferred where it stands runs in the same goroutine and
// does not count.
type locals struct {
	pkg  *types.Package
	info *types.Info
	// perIteration: each iteration of a loop has its own loop variables.
	perIteration bool
	vars         map[*types.Var]*usage
	jumps        map[ast.Node]bool // functions with goto statements
	stack        []ast.Node        // from the file to the node that is being visited
}

// usage is what happens to one variable.
type usage struct {
	address   bool
	captures  []moment // creation of the literals that capture it
	writes    []moment // assignments after its declaration
	reachable *bool    // the answer, once known
}

// moment is a place of the source and the loops and function around it.
type moment struct {
	pos   token.Pos
	loops []ast.Node // inside the function literal or declaration, outermost first
	jumps bool       // a function around it has goto statements
}

func findLocals(file *ast.File, pkg *types.Package, info *types.Info, version string) *locals {
	l := &locals{pkg: pkg, info: info, perIteration: atLeast(version, "go1.22"), vars: map[*types.Var]*usage{}, jumps: map[ast.Node]bool{}}
	ast.PreorderStack(file, nil, func(n ast.Node, stack []ast.Node) bool {
		l.stack = stack
		l.visit(n)
		return true
	})
	l.stack = nil
	return l
}

// reachable reports whether a goroutine other than that of its function may access v
// at the same time, one of them writing.
func (l *locals) reachable(v *types.Var) bool {
	if v.IsField() {
		return false // the name in a selector or composite literal
	}
	if v.Pkg() != l.pkg || v.Parent() == l.pkg.Scope() {
		return true
	}
	u := l.vars[v]
	if u == nil {
		return false
	}
	if u.reachable == nil {
		answer := u.address || l.assignedCaptured(v, u)
		u.reachable = &answer
	}
	return *u.reachable
}

// assignedCaptured reports whether v may be assigned when a literal has captured it.
func (l *locals) assignedCaptured(v *types.Var, u *usage) bool {
	for _, c := range u.captures {
		for _, w := range u.writes {
			if w.pos > c.pos || w.jumps || l.repeats(v, c, w) {
				return true
			}
		}
	}
	return false
}

// repeats reports whether a loop that v outlives leads from capture c to write w.
func (l *locals) repeats(v *types.Var, c, w moment) bool {
	for i := 0; i < len(c.loops) && i < len(w.loops) && c.loops[i] == w.loops[i]; i++ {
		loop := c.loops[i]
		inside := loop.Pos() <= v.Pos() && v.Pos() < loop.End()
		if inside && !l.perIteration && v.Pos() < loopBody(loop).Pos() {
			inside = false
		}
		if !inside {
			return true
		}
	}
	return false
}

func loopBody(loop ast.Node) *ast.BlockStmt {
	if f, ok := loop.(*ast.ForStmt); ok {
		return f.Body
	}
	return loop.(*ast.RangeStmt).Body
}

// visit notes what n does to variables.
func (l *locals) visit(n ast.Node) {
	switch n := n.(type) {
	case *ast.Ident:
		l.use(n)
	case *ast.UnaryExpr:
		if n.Op == token.AND {
			l.takeAddress(n.X)
		}
	case *ast.SliceExpr:
		if t := l.info.TypeOf(n.X); t != nil && isArray(t) {
			l.takeAddress(n.X)
		}
	case *ast.SelectorExpr:
		if s := l.info.Selections[n]; s != nil && s.Kind() == types.MethodVal && hasPointerReceiver(s) {
			l.takeAddress(n.X)
		}
	case *ast.AssignStmt:
		end := n.End()
		if lit, ok := n.Rhs[0].(*ast.FuncLit); ok && len(n.Lhs) == 1 {
			end = lit.Pos() // the literal does not run before the variable has it
		}
		for _, e := range n.Lhs {
			l.write(e, end)
		}
	case *ast.IncDecStmt:
		l.write(n.X, n.End())
	case *ast.RangeStmt:
		if n.Tok == token.ASSIGN {
			l.write(n.Key, n.X.End())
			l.write(n.Value, n.X.End())
		} else if n.Tok == token.DEFINE && !l.perIteration {
			l.define(n.Key, n)
			l.define(n.Value, n)
		}
	case *ast.ReturnStmt:
		l.setResults(n)
	}
}

// use notes a capture.
func (l *locals) use(id *ast.Ident) {
	v, ok := l.info.Uses[id].(*types.Var)
	if !ok || v.IsField() || v.Parent() == l.pkg.Scope() {
		return
	}
	for i, n := range l.stack {
		lit, ok := n.(*ast.FuncLit)
		if ok && !(lit.Pos() <= v.Pos() && v.Pos() < lit.End()) && !l.immediate(i) {
			u := l.usage(v)
			if n := len(u.captures); n == 0 || u.captures[n-1].pos != lit.Pos() {
				m := l.moment(i)
				m.pos = lit.Pos()
				u.captures = append(u.captures, m)
			}
			return
		}
	}
}

// immediate reports whether the function literal stack[i] is called or deferred where
// it stands.
func (l *locals) immediate(i int) bool {
	call := l.calls(i)
	if call == nil {
		return false
	}
	_, isGo := l.parent(i, call).(*ast.GoStmt)
	return !isGo
}

// calls returns the call of the function literal stack[i], nil if there is none.
func (l *locals) calls(i int) *ast.CallExpr {
	for j := i - 1; j >= 0; j-- {
		switch n := l.stack[j].(type) {
		case *ast.ParenExpr:
			continue
		case *ast.CallExpr:
			if ast.Unparen(n.Fun) == l.stack[i] {
				return n
			}
		}
		return nil
	}
	return nil
}

// parent returns the node around call, which is above stack[i].
func (l *locals) parent(i int, call *ast.CallExpr) ast.Node {
	for j := i - 1; j > 0; j-- {
		if l.stack[j] == call {
			return l.stack[j-1]
		}
	}
	return nil
}

// root returns the variable whose memory holds the location e; nil if it is reached
// through a pointer, slice or map.
func (l *locals) root(e ast.Expr) *types.Var {
	switch e := e.(type) {
	case *ast.Ident:
		v, _ := l.info.ObjectOf(e).(*types.Var)
		return v
	case *ast.ParenExpr:
		return l.root(e.X)
	case *ast.SelectorExpr:
		s := l.info.Selections[e]
		switch {
		case s == nil:
			return l.root(e.Sel) // a qualified identifier
		case s.Kind() == types.FieldVal && !throughPointer(s):
			return l.root(e.X)
		}
	case *ast.IndexExpr:
		if t := l.info.TypeOf(e.X); t != nil && isArray(t) {
			return l.root(e.X)
		}
	}
	return nil
}

func (l *locals) takeAddress(e ast.Expr) {
	if v := l.root(e); v != nil {
		l.usage(v).address = true
	}
}

// write notes an assignment that is over at end.
func (l *locals) write(e ast.Expr, end token.Pos) {
	if e == nil {
		return
	}
	if id, ok := e.(*ast.Ident); ok && l.info.Defs[id] != nil {
		return // a declaration
	}
	if v := l.root(e); v != nil {
		u := l.usage(v)
		u.writes = append(u.writes, l.writing(end))
	}
}

// define notes that the loop sets its variable again in every iteration.
func (l *locals) define(e ast.Expr, loop *ast.RangeStmt) {
	if id, ok := e.(*ast.Ident); ok {
		if v, ok := l.info.Defs[id].(*types.Var); ok {
			m := l.writing(loop.X.End())
			m.loops = append(m.loops, loop)
			l.usage(v).writes = append(l.usage(v).writes, m)
		}
	}
}

// setResults notes that a return statement assigns to named results.
func (l *locals) setResults(n *ast.ReturnStmt) {
	if len(n.Results) == 0 {
		return
	}
	for i := len(l.stack) - 1; i >= 0; i-- {
		var typ *ast.FuncType
		switch f := l.stack[i].(type) {
		case *ast.FuncDecl:
			typ = f.Type
		case *ast.FuncLit:
			typ = f.Type
		default:
			continue
		}
		for _, v := range resultVars(typ, l.info) {
			u := l.usage(v)
			u.writes = append(u.writes, l.writing(n.End()))
		}
		return
	}
}

// resultVars returns the named results of a function.
func resultVars(typ *ast.FuncType, info *types.Info) []*types.Var {
	if typ.Results == nil {
		return nil
	}
	var vars []*types.Var
	for _, f := range typ.Results.List {
		for _, name := range f.Names {
			if v, ok := info.Defs[name].(*types.Var); ok {
				vars = append(vars, v)
			}
		}
	}
	return vars
}

func (l *locals) usage(v *types.Var) *usage {
	u := l.vars[v]
	if u == nil {
		u = &usage{}
		l.vars[v] = u
	}
	return u
}

// moment describes what is around stack[depth].
func (l *locals) moment(depth int) moment {
	var m moment
	for _, n := range l.stack[:depth] {
		switch n := n.(type) {
		case *ast.FuncDecl:
			m.jumps = l.hasGoto(n)
		case *ast.FuncLit:
			m.jumps = m.jumps || l.hasGoto(n)
		case *ast.ForStmt, *ast.RangeStmt:
			m.loops = append(m.loops, n)
		}
	}
	return m
}

// writing is the moment of an assignment that is over at pos. What a deferred literal
// does happens at the end.
func (l *locals) writing(pos token.Pos) moment {
	m := l.moment(len(l.stack))
	m.pos = pos
	for i, n := range l.stack {
		if _, ok := n.(*ast.FuncLit); !ok {
			continue
		}
		if call := l.calls(i); call != nil {
			if _, ok := l.parent(i, call).(*ast.DeferStmt); ok {
				m.pos = math.MaxInt
			}
		}
	}
	return m
}

func (l *locals) hasGoto(f ast.Node) bool {
	found, known := l.jumps[f]
	if !known {
		ast.Inspect(f, func(n ast.Node) bool {
			if b, ok := n.(*ast.BranchStmt); ok && b.Tok == token.GOTO {
				found = true
			}
			return !found
		})
		l.jumps[f] = found
	}
	return found
}

// throughPointer reports whether a field selection dereferences a pointer.
func throughPointer(s *types.Selection) bool {
	t := s.Recv()
	for _, i := range s.Index() {
		if p := pointee(t); p != nil {
			return true
		}
		st, ok := core(t).(*types.Struct)
		if !ok {
			return false
		}
		t = st.Field(i).Type()
	}
	return false
}

// hasPointerReceiver reports whether selecting the method takes the address of a
// variable: the method has a pointer receiver and is called on no pointer.
func hasPointerReceiver(s *types.Selection) bool {
	recv := s.Obj().(*types.Func).Signature().Recv()
	if pointee(recv.Type()) == nil {
		return false
	}
	t := s.Recv()
	for _, i := range s.Index()[:len(s.Index())-1] {
		if pointee(t) != nil {
			return false
		}
		t = core(t).(*types.Struct).Field(i).Type()
	}
	return pointee(t) == nil
}
