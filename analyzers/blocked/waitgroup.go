package blocked

import (
	"go/ast"
	"go/types"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"
)

// checkGoroutine reports misuse of a WaitGroup by the goroutine that g starts.
func checkGoroutine(pass *analysis.Pass, g *ssa.Go) {
	fn := g.Call.StaticCallee()
	if fn == nil || fn.Blocks == nil || fn.Pkg != g.Parent().Pkg || fn.Syntax() == nil {
		return
	}
	var adds, dones []*ssa.Call
	deferred := false
	for _, b := range fn.Blocks {
		for _, instr := range b.Instrs {
			switch instr := instr.(type) {
			case *ssa.Call:
				if calls(&instr.Call, "Add") {
					adds = append(adds, instr)
				} else if calls(&instr.Call, "Done") {
					dones = append(dones, instr)
				}
			case *ssa.Defer:
				deferred = true
			}
		}
	}
	for _, add := range adds {
		checkAdd(pass, g, fn, add)
	}
	if !deferred && len(dones) == 1 {
		checkDone(pass, fn, dones[0])
	}
}

// calls tells whether c calls the method of sync.WaitGroup.
func calls(c *ssa.CallCommon, method string) bool {
	fn := c.StaticCallee()
	return fn != nil && fn.RelString(nil) == "(*sync.WaitGroup)."+method
}

// checkAdd reports an Add in the goroutine fn that g starts, if the function around g waits
// for the same WaitGroup and does not add to it.
func checkAdd(pass *analysis.Pass, g *ssa.Go, fn *ssa.Function, add *ssa.Call) {
	outer := outside(g, fn, add.Call.Args[0])
	if outer == nil {
		return
	}
	waits := false
	for _, ref := range *outer.Referrers() {
		c, ok := ref.(ssa.CallInstruction)
		if !ok || len(c.Common().Args) == 0 || c.Common().Args[0] != outer {
			continue
		}
		if calls(c.Common(), "Add") || calls(c.Common(), "Go") {
			return // the goroutine may be among those that are counted
		}
		waits = waits || calls(c.Common(), "Wait")
	}
	body := bodyOf(fn)
	if !waits || body == nil || isLiteral(fn) && firstIs(body, add) {
		return
	}
	pass.Report(analysis.Diagnostic{
		Pos: add.Pos(), Category: "add",
		Message:        "WaitGroup.Add is called in the goroutine that is to be waited for: Wait may return before",
		Related:        []analysis.RelatedInformation{{Pos: g.Pos(), Message: "the goroutine is started here"}},
		SuggestedFixes: moveAdd(pass, g, body, add),
	})
}

// outside returns what the goroutine's value v is in the function that starts it, or nil.
func outside(g *ssa.Go, fn *ssa.Function, v ssa.Value) ssa.Value {
	switch v := v.(type) {
	case *ssa.FreeVar:
		mc, ok := g.Call.Value.(*ssa.MakeClosure)
		if !ok {
			return nil
		}
		for i, fv := range fn.FreeVars {
			if fv == v {
				return mc.Bindings[i]
			}
		}
	case *ssa.Parameter:
		for i, p := range fn.Params {
			if p == v && i < len(g.Call.Args) {
				return g.Call.Args[i]
			}
		}
	}
	return nil
}

func isLiteral(fn *ssa.Function) bool {
	_, ok := fn.Syntax().(*ast.FuncLit)
	return ok
}

// firstIs tells whether call is the first statement of body.
func firstIs(body *ast.BlockStmt, call *ssa.Call) bool {
	return len(body.List) > 0 && body.List[0].Pos() <= call.Pos() && call.Pos() < body.List[0].End()
}

// moveAdd moves a statement of the goroutine's body before the go statement. That is the
// same call only if it is one statement of a function literal, and if nothing before it can
// return.
func moveAdd(pass *analysis.Pass, g *ssa.Go, body *ast.BlockStmt, add *ssa.Call) []analysis.SuggestedFix {
	k, constant := add.Call.Args[1].(*ssa.Const)
	if _, ok := add.Call.Args[0].(*ssa.FreeVar); !ok || !constant || k.Value == nil {
		return nil
	}
	path := pathTo(pass, g.Pos())
	i := 0
	for ; i < len(path); i++ {
		if _, ok := path[i].(*ast.GoStmt); ok {
			break
		}
	}
	if i == len(path) {
		return nil
	}
	for n, stmt := range body.List {
		if returns(stmt) {
			return nil
		}
		expr, ok := stmt.(*ast.ExprStmt)
		if !ok || add.Pos() < stmt.Pos() || add.Pos() >= stmt.End() {
			continue
		}
		file := pass.Fset.File(stmt.Pos())
		text, err := pass.ReadFile(file.Name())
		if err != nil {
			return nil
		}
		end := stmt.End()
		if n+1 < len(body.List) {
			end = body.List[n+1].Pos()
		}
		return []analysis.SuggestedFix{{
			Message: "Call Add before the go statement",
			TextEdits: []analysis.TextEdit{
				{Pos: path[i].Pos(), End: path[i].Pos(), NewText: append(text[file.Offset(expr.Pos()):file.Offset(expr.End()):file.Offset(expr.End())], '\n')},
				{Pos: stmt.Pos(), End: end},
			},
		}}
	}
	return nil
}

// returns tells whether stmt has a return statement.
func returns(stmt ast.Stmt) (found bool) {
	ast.Inspect(stmt, func(n ast.Node) bool {
		switch n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.ReturnStmt:
			found = true
		}
		return !found
	})
	return found
}

// checkDone reports a goroutine whose body calls Done in one of its own statements, not under
// a condition, and returns without it elsewhere.
func checkDone(pass *analysis.Pass, fn *ssa.Function, done *ssa.Call) {
	body := bodyOf(fn)
	if body == nil || !ownStatement(body, done) {
		return
	}
	wg := done.Call.Args[0]
	s := &search{met: func(i ssa.Instruction) bool {
		if i == done {
			return true
		}
		// The WaitGroup handed on: somebody else may call Done.
		c, ok := i.(ssa.CallInstruction)
		if !ok {
			return false
		}
		for _, arg := range c.Common().Args {
			if arg == wg && !calls(c.Common(), "Add") || isWaitGroup(arg.Type()) && arg != wg {
				return true
			}
		}
		return false
	}}
	end := s.from(fn, nil)
	if end == nil {
		return
	}
	d := analysis.Diagnostic{
		Pos: done.Pos(), Category: "done",
		Message:        "the goroutine can return before it calls Done: Wait then waits forever",
		SuggestedFixes: deferFix(pass, fn, done),
	}
	if end.Pos().IsValid() {
		d.Related = []analysis.RelatedInformation{{Pos: end.Pos(), Message: "returns without Done"}}
	}
	pass.Report(d)
}

func ownStatement(body *ast.BlockStmt, call *ssa.Call) bool {
	for _, stmt := range body.List {
		if s, ok := stmt.(*ast.ExprStmt); ok && s.Pos() <= call.Pos() && call.Pos() < s.End() {
			return true
		}
	}
	return false
}

func isWaitGroup(t types.Type) bool {
	p, ok := t.Underlying().(*types.Pointer)
	if !ok {
		return false
	}
	n, ok := types.Unalias(p.Elem()).(*types.Named)
	return ok && n.Obj().Pkg() != nil && n.Obj().Pkg().Path() == "sync" && n.Obj().Name() == "WaitGroup"
}
