package lockset

import (
	"go/types"
	"reflect"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/passes/buildssa"
	"golang.org/x/tools/go/ssa"
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

func run(pass *analysis.Pass) (any, error) {
	built := pass.ResultOf[buildssa.Analyzer].(*buildssa.SSA)
	imported := func(fn *ssa.Function) *Summary {
		obj, ok := fn.Object().(*types.Func)
		var fact Fact
		if !ok || obj.Pkg() == pass.Pkg || !pass.ImportObjectFact(obj.Origin(), &fact) {
			return nil
		}
		s := fact.Summary
		resolve(fn.Prog, s.Releases, s.Acquires, s.Try)
		return &s
	}
	p := NewProgram(built.SrcFuncs, imported)
	for _, fn := range built.SrcFuncs {
		obj, ok := fn.Object().(*types.Func)
		if !ok || obj.Pkg() != pass.Pkg {
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
		releases[i].resolve(prog)
	}
	for i := range acquires {
		acquires[i].Ref.resolve(prog)
	}
	if try != nil {
		try.Ref.resolve(prog)
	}
}

func (r *Ref) resolve(prog *ssa.Program) {
	if r.From != Global {
		return
	}
	i := strings.LastIndexByte(string(r.Global), '.')
	if pkg := prog.ImportedPackage(string(r.Global[:max(i, 0)])); pkg != nil {
		r.global, _ = pkg.Members[string(r.Global[i+1:])].(*ssa.Global)
	}
}
