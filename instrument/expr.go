package instrument

import (
	"go/ast"
	"go/token"
	"go/types"
)

// exprs rewrites a list of expressions.
func (r *rewriter) exprs(list []ast.Expr) {
	for _, e := range list {
		r.expr(e)
	}
}

// expr rewrites an expression whose value is wanted. Types and constants stay as they
// are: with a call inside, len(x.array) would be no constant.
func (r *rewriter) expr(e ast.Expr) {
	r.upto(e.Pos())
	if t := r.info.Types[e]; t.IsType() || t.Value != nil || t.IsBuiltin() || t.IsNil() {
		r.upto(r.end(e))
		return
	}
	switch e := e.(type) {
	case *ast.Ident, *ast.StarExpr, *ast.SelectorExpr, *ast.IndexExpr:
		r.load(e)
	case *ast.ParenExpr:
		r.expr(e.X)
	case *ast.UnaryExpr:
		r.unary(e)
	case *ast.BinaryExpr:
		r.expr(e.X)
		r.expr(e.Y)
	case *ast.CallExpr:
		r.call(e)
	case *ast.CompositeLit:
		r.composite(e)
	case *ast.FuncLit:
		r.funcLit(e)
	case *ast.SliceExpr:
		r.slice(e)
	case *ast.TypeAssertExpr:
		r.expr(e.X)
	case *ast.IndexListExpr:
		r.expr(e.X) // an instantiation
	}
	r.upto(r.end(e))
}

func (r *rewriter) unary(e *ast.UnaryExpr) {
	if e.Op == token.AND {
		r.location(e.X)
	} else {
		r.expr(e.X)
	}
}

// composite rewrites the values, and the keys of maps, of a composite literal.
func (r *rewriter) composite(e *ast.CompositeLit) {
	t := r.info.TypeOf(e)
	if elem := pointee(t); elem != nil {
		t = elem // &T is left out in a literal of pointers
	}
	_, isStruct := core(t).(*types.Struct)
	for _, elt := range e.Elts {
		if kv, ok := elt.(*ast.KeyValueExpr); ok {
			if !isStruct {
				r.expr(kv.Key)
			}
			elt = kv.Value
		}
		r.expr(elt)
	}
}

// slice rewrites a slice expression; slicing an array takes its address.
func (r *rewriter) slice(e *ast.SliceExpr) {
	if isArray(r.info.TypeOf(e.X)) {
		r.location(e.X)
	} else {
		r.expr(e.X)
	}
	for _, i := range []ast.Expr{e.Low, e.High, e.Max} {
		if i != nil {
			r.expr(i)
		}
	}
}
