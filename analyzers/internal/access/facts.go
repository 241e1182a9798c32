package access

import (
	"fmt"
	"go/build"
	"go/token"
	"go/types"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/coopvet/coop/escape/lockset"
	"github.com/coopvet/coop/escape/syncop"
)

// Analyzer summarises the functions of a package; its result is a *Program. It reports
// nothing. Packages that import this one get the summaries as facts.
var Analyzer = &analysis.Analyzer{
	Name:       "coopvetaccess",
	Doc:        "list which memory functions access",
	Requires:   []*analysis.Analyzer{lockset.Analyzer},
	FactTypes:  []analysis.Fact{new(summaryFact), new(knownFact)},
	ResultType: reflect.TypeFor[*Program](),
	Run: func(pass *analysis.Pass) (any, error) {
		p := newProgram(pass.ResultOf[lockset.Analyzer].(*lockset.Program))
		p.pass = pass
		if ofGoroot(pass) {
			// What the standard library does is known from tables.
			return p, nil
		}
		pass.ExportPackageFact(new(knownFact))
		for _, fn := range p.locks.Functions() {
			if obj, ok := fn.Object().(*types.Func); ok && obj.Exported() {
				pass.ExportObjectFact(obj, p.export(fn))
			}
		}
		return p, nil
	},
}

// summaryFact is what the users of a package know of a function.
//
// Accesses made with a lock held are left out: a type that has locks is meant for several
// goroutines, and what is wrong with it is reported where it is declared. So are writes that
// happen only as long as something has not been set: mostly it has been when goroutines start.
type summaryFact struct {
	Before, After    Sync
	Accesses, Starts []portable
	Runs             []Run
}

// ofGoroot tells whether the package is one of the standard library.
func ofGoroot(pass *analysis.Pass) bool {
	return len(pass.Files) > 0 && strings.HasPrefix(pass.Fset.File(pass.Files[0].FileStart).Name(), filepath.Join(build.Default.GOROOT, "src"))
}

// knownFact is that of a package that has been analysed.
type knownFact struct{}

func (*knownFact) AFact() {}

func (*knownFact) String() string { return "analysed" }

// portable is an Access without what is known in one package only.
type portable struct {
	Ref           lockset.Ref
	Class         lockset.Class
	Part          string
	Write, Atomic bool
	Before, After Sync
}

const maxPortable = 16 // accesses of a function

func (*summaryFact) AFact() {}

func (f *summaryFact) String() string {
	var b strings.Builder
	for _, a := range f.Accesses {
		fmt.Fprintf(&b, "%s%s ", map[bool]string{false: "r:", true: "w:"}[a.Write], a.Class)
	}
	for _, a := range f.Starts {
		fmt.Fprintf(&b, "go:%s ", a.Class)
	}
	return b.String()
}

func (p *Program) export(fn *ssa.Function) *summaryFact {
	s := p.Of(fn)
	return &summaryFact{s.Before, s.After, p.exportAll(fn, s.Accesses), p.exportAll(fn, p.startsOf(fn)), p.runsOf(fn)}
}

func (p *Program) exportAll(fn *ssa.Function, accesses []Access) []portable {
	var out []portable
	for _, a := range accesses {
		ref, ok := outside(fn, a.Path)
		if !ok || len(a.Held) > 0 || len(a.Maybe) > 0 || a.Write && lazy(a.Instr) {
			continue
		}
		q := portable{ref, a.Class, a.Part, a.Write, a.Atomic, a.Before, a.After}
		if len(out) < maxPortable && !slices.Contains(out, q) {
			out = append(out, q)
		}
	}
	return out
}

// lazy tells whether i is executed only if a variable has a certain value, such as nil, and
// that is changed then.
func lazy(i ssa.Instruction) bool {
	for b := i.Block(); b.Idom() != nil; b = b.Idom() {
		last := b.Idom().Instrs
		branch, ok := last[len(last)-1].(*ssa.If)
		if !ok {
			continue
		}
		if path, ok := tests(branch.Cond); ok && changes(b, path) {
			return true
		}
	}
	return false
}

// tests returns the variable that cond compares with a constant.
func tests(cond ssa.Value) (path lockset.Path, ok bool) {
	switch c := cond.(type) {
	case *ssa.UnOp:
		switch c.Op {
		case token.NOT:
			return tests(c.X)
		case token.MUL:
			return lockset.PathOf(c.X), true
		}
	case *ssa.BinOp:
		_, constant := c.Y.(*ssa.Const)
		load, isLoad := c.X.(*ssa.UnOp)
		if (c.Op == token.EQL || c.Op == token.NEQ) && constant && isLoad && load.Op == token.MUL {
			return lockset.PathOf(load.X), true
		}
	}
	return lockset.Path{}, false
}

// changes tells whether what b dominates stores to the variable.
func changes(b *ssa.BasicBlock, path lockset.Path) bool {
	for _, d := range b.Parent().Blocks {
		if !b.Dominates(d) {
			continue
		}
		for _, i := range d.Instrs {
			if s, ok := i.(*ssa.Store); ok && lockset.PathOf(s.Addr) == path {
				return true
			}
		}
	}
	return false
}

// fact returns what is known of a function of another package; nil if nothing is.
func (p *Program) fact(fn *ssa.Function) *summaryFact {
	if p.pass == nil || len(fn.Blocks) > 0 {
		return nil
	}
	obj := syncop.Declared(fn)
	if obj == nil || obj.Pkg() == nil || obj.Pkg() == p.pass.Pkg {
		return nil
	}
	f, ok := p.facts[obj]
	if !ok {
		if f = new(summaryFact); !p.pass.ImportObjectFact(obj, f) {
			f = nil
		}
		p.facts[obj] = f
	}
	return f
}

// imported returns accesses of t, of another package, in the frame of the function that calls
// it at the instruction.
func (p *Program) imported(accesses []portable, t *Target, at ssa.Instruction, held lockset.Set) []Access {
	var out []Access
	for _, q := range accesses {
		ref := q.Ref
		ref.Resolve(at.Parent().Prog)
		if ref.From == lockset.Param && (ref.Index >= len(t.Args) || t.Args[ref.Index] == nil || ref.Sel == "" && !isReference(t.Args[ref.Index].Type())) {
			continue
		}
		var result ssa.Value
		if call, ok := at.(*ssa.Call); ok {
			result = call
		}
		path, ok := ref.In(t.Args, nil, result)
		if !ok {
			continue
		}
		a := Access{
			Path: path, Held: held, Class: q.Class, Part: q.Part, Write: q.Write, Atomic: q.Atomic,
			Before: q.Before, After: q.After, Instr: at, By: FuncName(t.Fn),
		}
		a.Object = q.Class
		if i := strings.LastIndexByte(string(q.Class), '.'); i >= 0 && ref.From != lockset.Global {
			a.Object = q.Class[:i] // its type
		}
		if class, part := p.ownClass(path); class != "" {
			a.Class, a.Part, a.Object = class, part, class
		}
		out = append(out, a)
	}
	return out
}

// ownClass is the class of the longest beginning of the path that belongs to this package.
func (p *Program) ownClass(path lockset.Path) (class lockset.Class, part string) {
	for {
		class := lockset.ClassOf(path)
		if strings.HasPrefix(string(class), p.pass.Pkg.Path()+".") || strings.Contains(string(class), "@") {
			return class, part
		}
		i := strings.LastIndexAny(path.Sel, ".[*")
		if i < 0 {
			return "", ""
		}
		part = path.Sel[i:] + part
		path.Sel = path.Sel[:i]
	}
}

// FuncName is how messages name a function: F, or T.M.
func FuncName(fn *ssa.Function) string {
	if fn.Parent() != nil {
		return "a function literal in " + FuncName(fn.Parent())
	}
	if recv := fn.Signature.Recv(); recv != nil {
		t := recv.Type()
		if ptr, ok := t.(*types.Pointer); ok {
			t = ptr.Elem()
		}
		if n, ok := types.Unalias(t).(*types.Named); ok {
			return fmt.Sprintf("%s.%s", n.Obj().Name(), fn.Name())
		}
	}
	return fn.Name()
}
