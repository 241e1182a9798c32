package instrument

import (
	"go/ast"
	"go/token"
	"go/types"
)

// effects says what the evaluation of an expression may do.
type effects struct {
	calls bool // run other code, or block
	loads bool // read shared memory
	panic bool // panic
}

func (f effects) or(g effects) effects {
	return effects{f.calls || g.calls, f.loads || g.loads, f.panic || g.panic}
}

// simple reports whether e is a constant or computed from local variables without
// further ado, so that it does not matter when it is evaluated.
func (r *rewriter) simple(e ast.Expr) bool { return r.effects(e) == effects{} }

func (r *rewriter) effects(list ...ast.Expr) effects {
	var f effects
	for _, e := range list {
		ast.Inspect(e, func(n ast.Node) bool {
			e, ok := n.(ast.Expr)
			if !ok {
				return n != nil
			}
			if t := r.info.Types[e]; t.IsType() || t.Value != nil || t.IsNil() {
				return false
			}
			return r.effect(e, &f)
		})
	}
	return f
}

// effect adds what e itself does to f, and reports whether its parts matter.
func (r *rewriter) effect(e ast.Expr, f *effects) bool {
	switch e := e.(type) {
	case *ast.FuncLit:
		return false
	case *ast.CallExpr:
		switch r.builtinName(e) {
		case "":
			if conversion := r.info.Types[e.Fun].IsType(); !conversion {
				f.calls = true
			} else if isArray(r.info.TypeOf(e)) {
				f.panic = true // the slice may be too short
			}
		case "Sizeof", "Alignof", "Offsetof":
			return false
		case "panic", "print", "println", "recover":
			f.calls = true
		case "cap", "complex", "imag", "len", "max", "min", "new", "real":
		default:
			f.panic = true
			f.loads = true
		}
		f.loads = f.loads || r.lengthRead(e)
	case *ast.UnaryExpr:
		f.calls = f.calls || e.Op == token.ARROW
	case *ast.BinaryExpr:
		switch e.Op {
		case token.QUO, token.REM, token.SHL, token.SHR, token.EQL, token.NEQ:
			f.panic = true // EQL compares interfaces
		}
	case *ast.SliceExpr, *ast.TypeAssertExpr:
		f.panic = true
	case *ast.Ident, *ast.SelectorExpr, *ast.IndexExpr, *ast.StarExpr:
		if _, ok := e.(*ast.IndexExpr); ok {
			f.panic = true
			f.loads = f.loads || isMap(r.info.TypeOf(e.(*ast.IndexExpr).X))
		}
		f.loads = f.loads || r.place(e) == sharedPlace
	}
	return true
}

// lengthRead reports whether e is the length of a map or channel.
func (r *rewriter) lengthRead(e *ast.CallExpr) bool {
	if r.builtinName(e) != "len" {
		return false
	}
	switch core(r.info.TypeOf(e.Args[0])).(type) {
	case *types.Map, *types.Chan:
		return true
	}
	return false
}
