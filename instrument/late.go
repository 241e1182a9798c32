package instrument

import (
	"go/ast"
	"go/token"
)

// The language leaves open when a variable is read relative to the calls of the same
// expression. gc makes the calls first, each in its turn, and reads variables when all
// calls are over: return n, f() returns what f left in n. Programs lean on it. A probe
// is a call, so a read before which gc makes a call that stands behind it gets none.
//
// Operations with a result that gc puts aside have their operands read by then: calls,
// receives, && and ||. Such operands, and those of a statement, form a unit, in which
// the order matters.

// markLate finds the reads of a unit, and of the units inside it, that gc does after
// a call which stands behind them.
func (r *rewriter) markLate(unit ...ast.Expr) {
	last := token.NoPos
	for _, e := range unit {
		if e != nil {
			last = max(last, r.lastCall(e))
		}
	}
	for _, e := range unit {
		if e != nil {
			r.markIn(e, last)
		}
	}
}

// lastCall returns where the last call or receive of e begins.
func (r *rewriter) lastCall(e ast.Expr) token.Pos {
	last := token.NoPos
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.CallExpr:
			if r.runsCode(n) {
				last = max(last, n.Pos())
			}
		case *ast.UnaryExpr:
			if n.Op == token.ARROW {
				last = max(last, n.Pos())
			}
		}
		return true
	})
	return last
}

// runsCode reports whether e calls a function that is not predeclared.
func (r *rewriter) runsCode(e *ast.CallExpr) bool {
	t := r.info.Types[e.Fun]
	return !t.IsType() && !t.IsBuiltin()
}

// markLookup marks the reads in m[k]. Rewritten, calls in k come before m is read.
func (r *rewriter) markLookup(e *ast.IndexExpr) {
	if r.lastCall(e.X).IsValid() {
		r.markLate(e.X, e.Index)
		return
	}
	r.markLate(e.X)
	r.markLate(e.Index)
}

// markIn marks the reads in a part of a unit whose last call begins at last.
func (r *rewriter) markIn(e ast.Expr, last token.Pos) {
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false // has units of its own
		case *ast.CallExpr:
			if r.runsCode(n) {
				r.markLate(append([]ast.Expr{n.Fun}, n.Args...)...)
				return false
			}
		case *ast.UnaryExpr:
			if n.Op == token.ARROW {
				r.markLate(n.X)
				return false
			}
		case *ast.BinaryExpr:
			if n.Op == token.LAND || n.Op == token.LOR {
				r.markLate(n.X)
				r.markLate(n.Y)
				return false
			}
		case *ast.IndexExpr:
			if isMap(r.info.TypeOf(n.X)) && r.end(n) > last {
				r.markLookup(n)
				return false
			}
		}
		if e, ok := n.(ast.Expr); ok && r.end(e) <= last {
			r.late[e] = true
		}
		return true
	})
}
