package instrument

import (
	"go/ast"
)

// block rewrites the statements of a block.
func (r *rewriter) block(b *ast.BlockStmt) {
	r.stmts(b.List)
	r.upto(b.Rbrace + 1)
}

func (r *rewriter) stmts(list []ast.Stmt) {
	for _, s := range list {
		r.stmt(s, nil)
	}
}

// stmt rewrites a statement in a place where a block may stand. Its label, if it has
// one, has not been written.
func (r *rewriter) stmt(s ast.Stmt, label *ast.LabeledStmt) {
	switch s := s.(type) {
	case *ast.LabeledStmt:
		r.stmt(s.Stmt, s)
		return
	case *ast.RangeStmt:
		r.rangeStmt(s, label)
		return
	}
	if init := initOf(s); init != nil && r.needsSequence(init) && !r.jumpedTo(label) {
		r.lifted(s, init, label)
		return
	}
	r.label(label)
	r.upto(s.Pos())
	r.inner(s)
	r.upto(r.end(s))
}

// label writes the label of a statement.
func (r *rewriter) label(label *ast.LabeledStmt) {
	if label != nil {
		r.upto(label.Colon + 1)
	}
}

// jumpedTo reports whether a goto statement leads to the label, so that the label
// may not be moved into a block.
func (r *rewriter) jumpedTo(label *ast.LabeledStmt) bool {
	return label != nil && r.gotos[r.info.Defs[label.Label]]
}

// initOf returns the simple statement in the head of s.
func initOf(s ast.Stmt) ast.Stmt {
	switch s := s.(type) {
	case *ast.IfStmt:
		return s.Init
	case *ast.SwitchStmt:
		return s.Init
	case *ast.TypeSwitchStmt:
		return s.Init
	case *ast.ForStmt:
		return s.Init
	}
	return nil
}

// lifted moves the assignment in the head of s before s: if x, y = f(); c {} becomes
// { x, y = f(); if c {} }, the assignment being a sequence of statements.
func (r *rewriter) lifted(s, init ast.Stmt, label *ast.LabeledStmt) {
	if label != nil {
		r.upto(label.Pos())
		r.seek(label.Colon + 1)
	}
	r.upto(s.Pos())
	r.write("{ ")
	r.markAssign(init.(*ast.AssignStmt))
	r.sequence(init.(*ast.AssignStmt))
	r.write("; ")
	if label != nil {
		r.write(label.Label.Name + ": ")
	}
	r.seek(s.Pos())
	r.upto(init.Pos())
	r.seek(r.end(init))
	switch s := s.(type) {
	case *ast.ForStmt:
		r.forRest(s)
	case *ast.IfStmt:
		r.without(';', s.Cond.Pos())
		r.ifRest(s)
	case *ast.SwitchStmt:
		if s.Tag != nil {
			r.without(';', s.Tag.Pos())
		} else {
			r.without(';', s.Body.Pos())
		}
		r.switchRest(s)
	case *ast.TypeSwitchStmt:
		r.without(';', s.Assign.Pos())
		r.typeSwitchRest(s)
	}
	r.upto(r.end(s))
	r.write(" }")
}

// inner rewrites the parts of a statement that needs no sequence in its head.
func (r *rewriter) inner(s ast.Stmt) {
	switch s := s.(type) {
	case *ast.BlockStmt:
		r.block(s)
	case *ast.IfStmt:
		r.head(s.Init)
		r.ifRest(s)
	case *ast.ForStmt:
		r.head(s.Init)
		r.forRest(s)
	case *ast.SwitchStmt:
		r.head(s.Init)
		r.switchRest(s)
	case *ast.TypeSwitchStmt:
		r.head(s.Init)
		r.typeSwitchRest(s)
	case *ast.SelectStmt:
		r.selectStmt(s)
	case *ast.ReturnStmt:
		r.returnStmt(s)
	default:
		r.simpleStmt(s, inList)
	}
}

// head rewrites a statement in the head of another.
func (r *rewriter) head(s ast.Stmt) {
	if s != nil {
		r.upto(s.Pos())
		r.simpleStmt(s, inHead)
	}
}

func (r *rewriter) simpleStmt(s ast.Stmt, at where) {
	switch s := s.(type) {
	case *ast.AssignStmt:
		r.assign(s, at)
	case *ast.IncDecStmt:
		r.markLate(s.X)
		if r.updateNeedsSequence(s.X, nil) {
			r.braced(at, func() { r.updateSequence(s.X, s.Tok, nil) })
			r.seek(r.end(s))
		} else {
			r.update(s, s.X, s.Tok, nil)
		}
	case *ast.ExprStmt:
		r.markLate(s.X)
		r.expr(s.X)
	case *ast.SendStmt:
		r.markLate(s.Chan, s.Value)
		r.expr(s.Chan)
		r.expr(s.Value)
	case *ast.GoStmt:
		r.markLate(s.Call)
		r.expr(s.Call)
	case *ast.DeferStmt:
		r.markLate(s.Call)
		r.expr(s.Call)
	case *ast.DeclStmt:
		r.genDecl(s.Decl.(*ast.GenDecl))
	}
	r.upto(r.end(s))
}

func (r *rewriter) ifRest(s *ast.IfStmt) {
	r.markLate(s.Cond)
	r.expr(s.Cond)
	r.block(s.Body)
	if s.Else != nil {
		r.stmt(s.Else, nil)
	}
}

func (r *rewriter) forRest(s *ast.ForStmt) {
	if s.Cond != nil {
		r.markLate(s.Cond)
		r.expr(s.Cond)
	}
	r.head(s.Post)
	r.block(s.Body)
}

func (r *rewriter) switchRest(s *ast.SwitchStmt) {
	if s.Tag != nil {
		r.markLate(s.Tag)
		r.expr(s.Tag)
	}
	r.cases(s.Body)
}

func (r *rewriter) typeSwitchRest(s *ast.TypeSwitchStmt) {
	switch a := s.Assign.(type) {
	case *ast.ExprStmt:
		r.markLate(a.X)
		r.expr(a.X)
	case *ast.AssignStmt:
		r.markLate(a.Rhs[0])
		r.expr(a.Rhs[0])
	}
	r.cases(s.Body)
}

// cases rewrites the clauses of a switch.
func (r *rewriter) cases(b *ast.BlockStmt) {
	for _, s := range b.List {
		c := s.(*ast.CaseClause)
		for _, e := range c.List {
			r.markLate(e)
			r.expr(e)
		}
		r.stmts(c.Body)
	}
	r.upto(b.Rbrace + 1)
}
