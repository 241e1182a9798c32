package condwait

import (
	_ "embed"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/passes/inspect"
	"golang.org/x/tools/go/ast/inspector"
	"golang.org/x/tools/go/types/typeutil"

	"github.com/coopvet/coop/analyzers/internal/doc"
)

//go:embed doc.go
var docSource string

// Analyzer reports what doc.go describes.
var Analyzer = &analysis.Analyzer{
	Name:     "condwait",
	Doc:      doc.Text(docSource),
	URL:      doc.URL("condwait"),
	Requires: []*analysis.Analyzer{inspect.Analyzer},
	Run:      run,
}

// A call is one of Wait, Signal or Broadcast.
type call struct {
	node *ast.CallExpr
	sel  *ast.SelectorExpr
	cond types.Object // the field or variable that holds the Cond; nil if it is neither
	fn   ast.Node     // innermost function, *ast.FuncDecl or *ast.FuncLit
	loop *ast.ForStmt // innermost for loop of fn around it, or nil
	// guard is the innermost if statement of fn whose body has the call, or nil.
	guard *ast.IfStmt
}

func run(pass *analysis.Pass) (any, error) {
	var waits, signals, wakes []*call
	once := make(map[*types.Func]bool) // functions with a call that is in no loop
	called := make(map[*types.Func]bool)
	root := pass.ResultOf[inspect.Analyzer].(*inspector.Inspector).Root()
	for cur := range root.Preorder((*ast.CallExpr)(nil)) {
		node := cur.Node().(*ast.CallExpr)
		fn := typeutil.StaticCallee(pass.TypesInfo, node)
		if fn == nil {
			continue
		}
		if fn.Pkg() == pass.Pkg {
			called[fn] = true
			once[fn] = once[fn] || !inLoop(cur)
		}
		name := fn.FullName()
		if name != "(*sync.Cond).Wait" && name != "(*sync.Cond).Signal" && name != "(*sync.Cond).Broadcast" {
			continue
		}
		c := locate(pass.TypesInfo, cur)
		if c == nil {
			continue
		}
		switch fn.Name() {
		case "Wait":
			waits = append(waits, c)
		case "Signal":
			signals = append(signals, c)
			wakes = append(wakes, c)
		default:
			wakes = append(wakes, c)
		}
	}
	for _, w := range waits {
		if fn := declared(pass.TypesInfo, w); fn == nil || fn.Exported() || !called[fn] || once[fn] {
			checkLoop(pass, w)
		}
	}
	for _, s := range signals {
		checkSignal(pass, s, waits)
	}
	for _, s := range wakes {
		checkState(pass, s, waits)
	}
	return nil, nil
}

// inLoop tells whether the call at cur is in a loop of its function.
func inLoop(cur inspector.Cursor) bool {
	for up := range cur.Enclosing((*ast.FuncDecl)(nil), (*ast.FuncLit)(nil), (*ast.ForStmt)(nil), (*ast.RangeStmt)(nil)) {
		switch up.Node().(type) {
		case *ast.FuncDecl, *ast.FuncLit:
			return false
		}
		return true
	}
	return false
}

// declared is the function in which the call is made; nil for function literals.
func declared(info *types.Info, c *call) *types.Func {
	d, ok := c.fn.(*ast.FuncDecl)
	if !ok {
		return nil
	}
	fn, _ := info.Defs[d.Name].(*types.Func)
	return fn
}

// locate describes the call at cur; nil if it is no statement of its own in a function.
func locate(info *types.Info, cur inspector.Cursor) *call {
	node := cur.Node().(*ast.CallExpr)
	sel, ok := ast.Unparen(node.Fun).(*ast.SelectorExpr)
	if !ok {
		return nil
	}
	c := &call{node: node, sel: sel, cond: holder(info, sel)}
	child := cur
	for up := cur.Parent(); ; child, up = up, up.Parent() {
		switch n := up.Node().(type) {
		case *ast.FuncDecl, *ast.FuncLit:
			c.fn = n
			return c
		case *ast.ForStmt:
			if c.loop == nil {
				c.loop = n
			}
		case *ast.RangeStmt:
			// Counts as a loop whose condition is unknown.
			if c.loop == nil {
				c.loop = &ast.ForStmt{For: n.For, Body: n.Body}
			}
		case *ast.IfStmt:
			if c.guard == nil && child.Node() == n.Body {
				c.guard = n
			}
		case *ast.File, *ast.DeferStmt, *ast.GoStmt, nil:
			return nil
		}
	}
}

// holder is the variable or field whose Cond sel selects a method of.
func holder(info *types.Info, sel *ast.SelectorExpr) types.Object {
	if s := info.Selections[sel]; s != nil && len(s.Index()) > 1 {
		return nil // promoted from an embedded Cond
	}
	x := ast.Unparen(sel.X)
	for {
		switch e := x.(type) {
		case *ast.UnaryExpr:
			x = ast.Unparen(e.X)
		case *ast.StarExpr:
			x = ast.Unparen(e.X)
		case *ast.SelectorExpr:
			return info.Uses[e.Sel]
		case *ast.Ident:
			return info.Uses[e]
		default:
			return nil
		}
	}
}

// checkLoop reports a Wait that is not in a loop.
func checkLoop(pass *analysis.Pass, w *call) {
	body := bodyOf(w.fn)
	if w.loop != nil || jumps(body) {
		return
	}
	locks := locksBefore(pass.TypesInfo, body, w.node.Pos())
	switch {
	case w.guard != nil && (locks || body.List[len(body.List)-1] != ast.Stmt(w.guard)):
		pass.Report(analysis.Diagnostic{
			Pos: w.node.Pos(), End: w.node.End(), Category: "noloop",
			Message: "Wait is not called in a loop: when it returns, the condition need not hold",
			Related: []analysis.RelatedInformation{{
				Pos: w.guard.Pos(), End: w.guard.Cond.End(), Message: "the condition is tested once, here",
			}},
			SuggestedFixes: ifToFor(w),
		})
	case w.guard == nil && locks:
		pass.Report(analysis.Diagnostic{
			Pos: w.node.Pos(), End: w.node.End(), Category: "noloop",
			Message: "Wait is called without a test of a condition: a signal given before is missed",
		})
	}
}

// ifToFor is the fix of an if statement that does nothing but wait.
func ifToFor(w *call) []analysis.SuggestedFix {
	g := w.guard
	if g.Init != nil || g.Else != nil || len(g.Body.List) != 1 {
		return nil
	}
	if s, ok := g.Body.List[0].(*ast.ExprStmt); !ok || s.X != ast.Expr(w.node) {
		return nil
	}
	return []analysis.SuggestedFix{{
		Message:   "Test the condition in a loop",
		TextEdits: []analysis.TextEdit{{Pos: g.If, End: g.If + token.Pos(len("if")), NewText: []byte("for")}},
	}}
}

func bodyOf(fn ast.Node) *ast.BlockStmt {
	if d, ok := fn.(*ast.FuncDecl); ok {
		return d.Body
	}
	return fn.(*ast.FuncLit).Body
}

// jumps tells whether body may loop by goto.
func jumps(body *ast.BlockStmt) (found bool) {
	ast.Inspect(body, func(n ast.Node) bool {
		if b, ok := n.(*ast.BranchStmt); ok && b.Tok == token.GOTO {
			found = true
		}
		return !found
	})
	return found
}

// locksBefore tells whether body calls a method Lock before pos.
func locksBefore(info *types.Info, body *ast.BlockStmt, pos token.Pos) (found bool) {
	ast.Inspect(body, func(n ast.Node) bool {
		if n == nil || n.Pos() >= pos || found {
			return false
		}
		if c, ok := n.(*ast.CallExpr); ok {
			if fn, _ := typeutil.Callee(info, c).(*types.Func); fn != nil && (fn.Name() == "Lock" || fn.Name() == "RLock") {
				found = true
			}
		}
		return true
	})
	return found
}

// checkSignal reports a Signal in a function that also waits, on a Cond on which others wait
// for something else.
func checkSignal(pass *analysis.Pass, s *call, waits []*call) {
	if s.cond == nil {
		return
	}
	var own *call
	for _, w := range waits {
		if w.fn == s.fn && w.cond == s.cond && condition(pass.TypesInfo, w) != "" {
			own = w
		}
	}
	if own == nil {
		return
	}
	for _, w := range waits {
		other := condition(pass.TypesInfo, w)
		if w.cond != s.cond || w.fn == s.fn || other == "" || other == condition(pass.TypesInfo, own) {
			continue
		}
		pass.Report(analysis.Diagnostic{
			Pos: s.node.Pos(), End: s.node.End(), Category: "signal",
			Message: fmt.Sprintf("Signal of %s may wake a goroutine that waits for another condition, and the one that could go on is not woken", s.cond.Name()),
			Related: []analysis.RelatedInformation{
				{Pos: own.loop.Pos(), End: own.loop.Cond.End(), Message: "waits for one condition here"},
				{Pos: w.loop.Pos(), End: w.loop.Cond.End(), Message: "waits for another here"},
			},
			SuggestedFixes: []analysis.SuggestedFix{{
				Message:   "Wake all who wait",
				TextEdits: []analysis.TextEdit{{Pos: s.sel.Sel.Pos(), End: s.sel.Sel.End(), NewText: []byte("Broadcast")}},
			}},
		})
		return
	}
}

// condition is a canonical form of the condition of the loop around w, in which variables
// stand for their types, so that those of two methods can be compared; "" if not known.
func condition(info *types.Info, w *call) string {
	if w.loop == nil || w.loop.Cond == nil {
		return ""
	}
	var b strings.Builder
	ast.Inspect(w.loop.Cond, func(n ast.Node) bool {
		switch n := n.(type) {
		case nil:
			b.WriteByte(')')
		case *ast.Ident:
			if v, ok := info.Uses[n].(*types.Var); ok && !v.IsField() {
				fmt.Fprintf(&b, "(%s", v.Type())
			} else {
				fmt.Fprintf(&b, "(%s", n.Name)
			}
		case *ast.BasicLit:
			fmt.Fprintf(&b, "(%s", n.Value)
		case *ast.BinaryExpr:
			fmt.Fprintf(&b, "(%s", n.Op)
		case *ast.UnaryExpr:
			fmt.Fprintf(&b, "(%s", n.Op)
		case *ast.ParenExpr:
			b.WriteString("(")
		default:
			fmt.Fprintf(&b, "(%T", n)
		}
		return true
	})
	return b.String()
}
