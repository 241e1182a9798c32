package condwait

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/types/typeutil"
)

// checkState reports an exported function that changes what others wait for and wakes them,
// and takes no lock at all: the change may come between the others' test and their Wait.
func checkState(pass *analysis.Pass, s *call, waits []*call) {
	fn, ok := s.fn.(*ast.FuncDecl)
	if !ok || s.cond == nil || !fn.Name.IsExported() || locksBefore(pass.TypesInfo, fn.Body, fn.Body.End()) {
		return
	}
	for _, w := range waits {
		if w.cond != s.cond || w.loop == nil || w.loop.Cond == nil {
			continue
		}
		state := fields(pass.TypesInfo, w.loop.Cond)
		change, field := changes(pass.TypesInfo, fn.Body, state)
		if change == nil {
			continue
		}
		pass.Report(analysis.Diagnostic{
			Pos: change.Pos(), End: change.End(), Category: "state",
			Message: fmt.Sprintf("%s is changed without the lock of %s: a goroutine that has just tested it misses the wakeup", field.Name(), s.cond.Name()),
			Related: []analysis.RelatedInformation{
				{Pos: w.loop.Cond.Pos(), End: w.loop.Cond.End(), Message: "it is tested here, before the wait"},
				{Pos: s.node.Pos(), End: s.node.End(), Message: "the wakeup"},
			},
		})
		return
	}
}

// fields are the fields and package-level variables that the condition mentions.
func fields(info *types.Info, cond ast.Expr) map[types.Object]bool {
	all := make(map[types.Object]bool)
	ast.Inspect(cond, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			if v, ok := info.Uses[id].(*types.Var); ok && (v.IsField() || v.Parent() == v.Pkg().Scope()) {
				all[v] = true
			}
		}
		return true
	})
	return all
}

// changes returns the first node of body that changes one of the variables: an assignment, or a
// call of a method of sync/atomic.
func changes(info *types.Info, body *ast.BlockStmt, state map[types.Object]bool) (node ast.Node, v types.Object) {
	try := func(n ast.Node, target ast.Expr) {
		var id *ast.Ident
		switch e := ast.Unparen(target).(type) {
		case *ast.SelectorExpr:
			id = e.Sel
		case *ast.Ident:
			id = e
		default:
			return
		}
		if o := info.Uses[id]; node == nil && state[o] {
			node, v = n, o
		}
	}
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.AssignStmt:
			if n.Tok != token.DEFINE {
				for _, lhs := range n.Lhs {
					try(n, lhs)
				}
			}
		case *ast.IncDecStmt:
			try(n, n.X)
		case *ast.CallExpr:
			fn := typeutil.StaticCallee(info, n)
			sel, ok := ast.Unparen(n.Fun).(*ast.SelectorExpr)
			if ok && fn != nil && fn.Pkg() != nil && fn.Pkg().Path() == "sync/atomic" && fn.Signature().Recv() != nil && fn.Name() != "Load" {
				try(n, sel.X)
			}
		}
		return true
	})
	return node, v
}
