package blocked

import (
	_ "embed"
	"go/ast"
	"go/token"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/passes/buildssa"
	"golang.org/x/tools/go/ast/astutil"
	"golang.org/x/tools/go/ssa"

	"github.com/coopvet/coop/analyzers/internal/doc"
)

//go:embed doc.go
var docSource string

// Analyzer reports what doc.go describes.
var Analyzer = &analysis.Analyzer{
	Name:     "blocked",
	Doc:      doc.Text(docSource),
	URL:      doc.URL("blocked"),
	Requires: []*analysis.Analyzer{buildssa.Analyzer},
	Run:      run,
}

func run(pass *analysis.Pass) (any, error) {
	prog := pass.ResultOf[buildssa.Analyzer].(*buildssa.SSA)
	for _, fn := range prog.SrcFuncs {
		for _, b := range fn.Blocks {
			for _, instr := range b.Instrs {
				switch instr := instr.(type) {
				case *ssa.MakeChan:
					checkChannel(pass, instr)
				case *ssa.Go:
					checkGoroutine(pass, instr)
				}
			}
		}
	}
	return nil, nil
}

// pathTo returns the syntax around pos, innermost first.
func pathTo(pass *analysis.Pass, pos token.Pos) []ast.Node {
	for _, f := range pass.Files {
		if f.FileStart <= pos && pos < f.FileEnd {
			path, _ := astutil.PathEnclosingInterval(f, pos, pos+1)
			return path
		}
	}
	return nil
}

// inTest tells whether pos is in a test file.
func inTest(pass *analysis.Pass, pos token.Pos) bool {
	return strings.HasSuffix(pass.Fset.Position(pos).Filename, "_test.go")
}

// makeCall returns the call of make at pos, its opening parenthesis.
func makeCall(pass *analysis.Pass, pos token.Pos) (call *ast.CallExpr, around ast.Node) {
	path := pathTo(pass, pos)
	for i, n := range path {
		if c, ok := n.(*ast.CallExpr); ok && c.Lparen == pos {
			if i+1 < len(path) {
				around = path[i+1]
			}
			return c, around
		}
	}
	return nil, nil
}

// nameOf is the variable that holds the channel made by mk, or a paraphrase.
func nameOf(pass *analysis.Pass, mk *ssa.MakeChan) string {
	call, around := makeCall(pass, mk.Pos())
	switch n := around.(type) {
	case *ast.AssignStmt:
		for i, rhs := range n.Rhs {
			if id, ok := n.Lhs[i].(*ast.Ident); ok && rhs == ast.Expr(call) && len(n.Lhs) == len(n.Rhs) {
				return id.Name
			}
		}
	case *ast.ValueSpec:
		for i, v := range n.Values {
			if v == ast.Expr(call) && len(n.Names) == len(n.Values) {
				return n.Names[i].Name
			}
		}
	}
	return "the channel"
}
