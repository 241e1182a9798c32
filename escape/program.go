package escape

import (
	"cmp"
	"context"
	"go/ast"
	"strings"

	"golang.org/x/tools/go/callgraph"
	"golang.org/x/tools/go/ssa"

	"github.com/coopvet/coop/escape/lockset"
	"github.com/coopvet/coop/escape/syncop"
	"github.com/coopvet/coop/runner/sched"
)

// Options are what Program is told of a program, besides its packages.
type Options struct {
	// Imported reports whether packages that are not analysed may import a package; nil: none
	// does. They may use all that it exports.
	Imported func(*ssa.Package) bool
	// Work is the number of nodes, and of copies of accesses, that the analysis makes before
	// it tells the calls of large functions apart no more; 0: DefaultWork.
	Work int
	// called, if it is not nil, is told of which functions a call may be that is known only
	// by its value; nil: of any that unknown code can call, too.
	called func(at ssa.Instruction, fn *ssa.Function)
}

// Program classifies the locations of a whole program: the packages with their tests,
// built with ssa.InstantiateGenerics and ssa.GlobalDebug. Functions of other packages
// are not analysed. It fails if ctx ends first.
//
// The program starts at the packages' tests, benchmarks, fuzz tests, examples, TestMain
// and main functions; what those do not reach has no class and is visible.
func Program(ctx context.Context, prog *ssa.Program, pkgs []*ssa.Package, o Options) (r *Result, err error) {
	e := newEngine(ctx, prog, pkgs, cmp.Or(o.Work, DefaultWork))
	e.called = o.called
	defer func() {
		if p := recover(); p == errBudget || p == errVariant {
			err = p.(error)
		} else if p != nil {
			panic(p)
		}
	}()
	fns := e.variants.functions(prog)
	e.locks = lockset.NewSound(fns)
	e.parallel = callsAny(fns, isParallel)
	e.tries = callsAny(fns, isTryLock)
	e.recovering, e.ownMethods = make(map[string]bool), make(map[string]bool)
	for _, fn := range fns {
		if fn.Signature.Recv() == nil {
			continue
		}
		if callsRecover(fn) {
			e.recovering[fn.Name()] = true
		}
		if fn.Synthetic == "" || fn.Origin() != nil {
			e.ownMethods[fn.Name()] = true
		}
	}
	roots := make(map[*ssa.Function]realm)
	for _, p := range pkgs {
		for fn, c := range entryPoints(p) {
			roots[fn] = c
			e.tests = e.tests || isTest(fn)
		}
		if o.Imported != nil && o.Imported(p) {
			e.loseExported(p)
		}
	}
	e.run(roots)
	return &Result{e: e, Locations: e.found}, nil
}

// callsAny reports whether one of the functions has a call for which is is true.
func callsAny(fns []*ssa.Function, is func(*ssa.CallCommon) bool) bool {
	for _, fn := range fns {
		for _, b := range fn.Blocks {
			for _, i := range b.Instrs {
				c, ok := i.(ssa.CallInstruction)
				if ok && is(c.Common()) {
					return true
				}
			}
		}
	}
	return false
}

// isTryLock reports whether the call may be one of TryLock or TryRLock. A method value is
// a function that calls it.
func isTryLock(c *ssa.CallCommon) bool {
	if c.IsInvoke() {
		return c.Method.Name() == "TryLock" || c.Method.Name() == "TryRLock"
	}
	op, _, ok := syncop.OfCall(c)
	return ok && op.Kind.IsTry()
}

// isParallel reports whether the call lets a test run at the same time as others. What wraps
// a testing.T most often has a method of that name, too.
func isParallel(c *ssa.CallCommon) bool {
	if c.IsInvoke() {
		return c.Method.Name() == "Parallel"
	}
	f := c.StaticCallee()
	return f != nil && f.Name() == "Parallel" && len(f.Blocks) == 0
}

// entryPoints returns the functions of a package that the outside calls.
func entryPoints(p *ssa.Package) map[*ssa.Function]realm {
	out := make(map[*ssa.Function]realm)
	for name, m := range p.Members {
		fn, ok := m.(*ssa.Function)
		if !ok {
			continue
		}
		switch {
		case name == "init":
			out[fn] = starting
		case name == "main" && p.Pkg.Name() == "main", name == "TestMain", isTest(fn):
			out[fn] = main
		}
	}
	return out
}

func isTest(fn *ssa.Function) bool {
	for _, prefix := range []string{"Test", "Benchmark", "Fuzz", "Example"} {
		rest, ok := strings.CutPrefix(fn.Name(), prefix)
		if ok && (rest == "" || !ast.IsExported("a"+rest) && rest[0] < 'a' || rest[0] > 'z') {
			return strings.HasSuffix(fn.Prog.Fset.Position(fn.Pos()).Filename, "_test.go") && fn.Signature.Recv() == nil
		}
	}
	return false
}

// run analyses the program that starts at roots.
func (e *engine) run(roots map[*ssa.Function]realm) {
	root := &function{values: make(map[ssa.Value]*loc), outlived: make(map[ssa.Instruction]bool), index: -1}
	e.current, e.root = root, root
	for _, fn := range sorted(roots) {
		var args []value
		for _, p := range fn.Params {
			args = append(args, value{e.newLoc(nil), p.Type()})
		}
		e.apply(&callSite{frame: root}, fn, nil, args, e.newLoc(nil))
		e.resolve(root)
	}
	for again := true; again; {
		again = false
		for _, l := range root.locs {
			if l.up == nil {
				e.noteLost(l)
			}
		}
		for _, l := range e.publics() {
			e.noteLost(l)
		}
		if len(e.lost) > 0 {
			again = true
			e.callLost(root)
		}
	}
	root.closed = true
	root.results = e.newLoc(nil)
	u := &unit{members: []*function{root}}
	root.recursive = false
	e.finish(u)
	e.classifyGlobals(roots)
}

// Result is the classification of a program.
type Result struct {
	Locations []Location
	e         *engine
	calls     *callgraph.Graph                  // once it has been asked for
	started   map[*ssa.Function][]*ssa.Function // by a function's go statements, once that has been asked for
}

// Merged returns the number of functions of which the calls were not told apart, because
// that would have been too much work.
func (r *Result) Merged() int { return r.e.merged }

// Visible reports whether the access to memory that e denotes, a variable, field,
// element or dereference, is a visible operation: to an unprotected location, or one
// that is not known. write says that it writes.
func (r *Result) Visible(write bool, e ast.Expr) bool {
	return r.Claims(write, e)&sched.ClaimUnprotected != 0
}

// Claims returns the classes of the locations to which the access may be, with
// sched.ClaimUnprotected if it is visible.
func (r *Result) Claims(write bool, e ast.Expr) sched.Claim {
	e = ast.Unparen(e)
	at := e.Pos()
	var onTheWay []*site // reads of embedded pointers
	switch e := e.(type) {
	case *ast.SelectorExpr:
		at = e.Sel.Pos()
		onTheWay = r.e.hidden[e.Pos()]
	case *ast.IndexExpr:
		at = e.Lbrack
	case *ast.StarExpr:
		at = e.Star
	}
	return claims(write, onTheWay, r.e.placed[at], r.e.hidden[at])
}

// claims is what is claimed of an access that may be any of the given ones, of which one
// must write if it does.
func claims(write bool, lists ...[]*site) (c sched.Claim) {
	known := false
	for _, list := range lists {
		for _, s := range list {
			c |= s.claim()
			known = known || !write || s.write
		}
	}
	if !known {
		c |= sched.ClaimUnprotected
	}
	return c
}

// VisibleInside reports the same for the elements of the slice or array, or the
// contents of the map, that e denotes.
func (r *Result) VisibleInside(e ast.Expr) bool {
	return r.ClaimsInside(e)&sched.ClaimUnprotected != 0
}

// ClaimsInside returns the same as Claims for them.
func (r *Result) ClaimsInside(e ast.Expr) sched.Claim {
	return claims(false, r.e.ranged[ast.Unparen(e).Pos()])
}

// ClaimsOfCall returns the same as Claims for a call of a function that package library
// knows.
func (r *Result) ClaimsOfCall(e *ast.CallExpr) sched.Claim {
	return claims(false, r.e.placed[e.Lparen])
}

func sorted(roots map[*ssa.Function]realm) []*ssa.Function {
	var out []*ssa.Function
	for _, c := range []realm{starting, main} {
		n := len(out)
		for fn, d := range roots {
			if d == c {
				out = append(out, fn)
			}
		}
		sortFunctions(out[n:])
	}
	return out
}

func sortFunctions(fns []*ssa.Function) {
	for i := range fns {
		for j := i; j > 0 && fns[j].String() < fns[j-1].String(); j-- {
			fns[j], fns[j-1] = fns[j-1], fns[j]
		}
	}
}
