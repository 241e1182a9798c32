// Package locks is an Analyzer without diagnostics: it computes the locksets of a package's
// functions, and hands what calls do to locks to the packages that import it.
package locks

import (
	"go/types"
	"reflect"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/passes/buildssa"
	"golang.org/x/tools/go/ssa"

	"github.com/coopvet/coop/escape/lockset"
	"github.com/coopvet/coop/escape/syncop"
)

// Analyzer's result is a *Result.
var Analyzer = &analysis.Analyzer{
	Name:       "coopvetlocks",
	Doc:        "compute which locks are held",
	Requires:   []*analysis.Analyzer{buildssa.Analyzer},
	FactTypes:  []analysis.Fact{new(summaryFact)},
	ResultType: reflect.TypeFor[*Result](),
	Run:        run,
}

// Result is what is known of a package's functions.
type Result struct {
	*lockset.Program
	// Functions are those with source, function literals included, in the order of the source.
	Functions []*ssa.Function
}

// summaryFact is what a call of a function does to its caller's locks.
type summaryFact struct{ Summary lockset.Summary }

func (*summaryFact) AFact() {}

func (f *summaryFact) String() string {
	var b strings.Builder
	for _, a := range f.Summary.Acquires {
		b.WriteString("+" + a.Ref.Sel)
	}
	for _, r := range f.Summary.Releases {
		b.WriteString("-" + r.Sel)
	}
	if t := f.Summary.Try; t != nil {
		b.WriteString("?" + t.Ref.Sel)
	}
	return b.String()
}

func run(pass *analysis.Pass) (any, error) {
	prog := pass.ResultOf[buildssa.Analyzer].(*buildssa.SSA)
	imported := func(fn *ssa.Function) *lockset.Summary {
		obj := syncop.Declared(fn)
		var fact summaryFact
		if obj == nil || obj.Pkg() == nil || obj.Pkg() == pass.Pkg || !pass.ImportObjectFact(obj, &fact) {
			return nil
		}
		return &fact.Summary
	}
	r := &Result{lockset.NewProgram(prog.SrcFuncs, imported), prog.SrcFuncs}
	for _, fn := range r.Functions {
		obj, ok := fn.Object().(*types.Func)
		if !ok || !obj.Exported() {
			continue
		}
		if s := r.Summary(fn); len(s.Acquires) > 0 || len(s.Releases) > 0 || s.Try != nil {
			pass.ExportObjectFact(obj, &summaryFact{*s})
		}
	}
	return r, nil
}
