package lockset

import (
	"go/types"
	"reflect"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/passes/buildssa"
	"golang.org/x/tools/go/ssa"

	"github.com/coopvet/coop/escape/syncop"
)

// Analyzer computes the locksets of one package at a time; its result is a *Program.
// It reports nothing. Summaries of functions travel from package to package as facts.
var Analyzer = &analysis.Analyzer{
	Name:       "lockset",
	Doc:        "compute which locks are held at each instruction, for other analyzers",
	Run:        run,
	Requires:   []*analysis.Analyzer{buildssa.Analyzer},
	FactTypes:  []analysis.Fact{new(Fact)},
	ResultType: reflect.TypeFor[*Program](),
}

// Fact is the Summary of a function that changes what its callers hold.
type Fact struct{ Summary Summary }

// AFact marks the type as a fact.
func (*Fact) AFact() {}

// String names the locks: + those that are acquired, - released, ? acquired if the result says so.
func (f *Fact) String() string {
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
	built := pass.ResultOf[buildssa.Analyzer].(*buildssa.SSA)
	imported := func(fn *ssa.Function) *Summary {
		obj := syncop.Declared(fn)
		var fact Fact
		if obj == nil || obj.Pkg() == nil || obj.Pkg() == pass.Pkg || !pass.ImportObjectFact(obj, &fact) {
			return nil
		}
		s := fact.Summary
		resolve(fn.Prog, s.Releases, s.Acquires, s.Try)
		return &s
	}
	p := NewProgram(built.SrcFuncs, imported)
	for _, fn := range built.SrcFuncs {
		obj, ok := fn.Object().(*types.Func)
		if !ok || !obj.Exported() {
			continue
		}
		if s := p.Summary(fn); len(s.Releases) > 0 || len(s.Acquires) > 0 || s.Try != nil {
			pass.ExportObjectFact(obj, &Fact{*s})
		}
	}
	return p, nil
}

// resolve finds the package-level variables that a summary from elsewhere names.
func resolve(prog *ssa.Program, releases []Ref, acquires []Acquired, try *Acquired) {
	for i := range releases {
		releases[i].Resolve(prog)
	}
	for i := range acquires {
		acquires[i].Ref.Resolve(prog)
	}
	if try != nil {
		try.Ref.Resolve(prog)
	}
}

// Resolve finds the package-level variable that a Ref from another package names.
func (r *Ref) Resolve(prog *ssa.Program) {
	if r.From != Global {
		return
	}
	i := strings.LastIndexByte(string(r.Global), '.')
	if pkg := prog.ImportedPackage(string(r.Global[:max(i, 0)])); pkg != nil {
		r.global, _ = pkg.Members[string(r.Global[i+1:])].(*ssa.Global)
	}
}
