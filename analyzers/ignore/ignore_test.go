package ignore_test

import (
	"go/ast"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/analysistest"

	"github.com/coopvet/coop/analyzers/ignore"
)

// named reports the functions whose name contains the check's.
func named(name string) *analysis.Analyzer {
	return &analysis.Analyzer{
		Name: name,
		Doc:  "test",
		Run: func(pass *analysis.Pass) (any, error) {
			for _, f := range pass.Files {
				for _, d := range f.Decls {
					fn, ok := d.(*ast.FuncDecl)
					if !ok {
						continue
					}
					if fn.Name.Name == "panics" && name == "left" {
						panic("as requested")
					}
					if strings.Contains(fn.Name.Name, name) {
						pass.Reportf(fn.Pos(), "%s here", name)
					}
				}
			}
			return nil, nil
		},
	}
}

func Test(t *testing.T) {
	for _, a := range ignore.Honour([]*analysis.Analyzer{named("left"), named("right")}) {
		t.Run(a.Name, func(t *testing.T) {
			analysistest.RunWithSuggestedFixes(t, analysistest.TestData(), a, a.Name)
		})
	}
}

// A check that panics fails; the others go on.
func TestPanic(t *testing.T) {
	for _, a := range ignore.Honour([]*analysis.Analyzer{named("left"), named("right")}) {
		results := analysistest.Run(failures{t, a.Name == "right"}, analysistest.TestData(), a, "panics")
		if len(results) != 1 {
			t.Fatalf("%d results", len(results))
		}
		if a.Name == "left" && (results[0].Err == nil || !strings.Contains(results[0].Err.Error(), "as requested")) {
			t.Errorf("error %v, want the panic", results[0].Err)
		}
	}
}

// failures passes on errors only if they count.
type failures struct {
	t     *testing.T
	count bool
}

func (f failures) Errorf(format string, args ...any) {
	if f.count {
		f.t.Errorf(format, args...)
	}
}
