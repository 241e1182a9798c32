package escape_test

import (
	"cmp"
	"flag"
	"fmt"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/go/callgraph"
	"golang.org/x/tools/go/callgraph/cha"
	"golang.org/x/tools/go/callgraph/vta"
	"golang.org/x/tools/go/packages"
	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/go/ssa/ssautil"

	"github.com/coopvet/coop/escape"
)

// The analysis finds out itself which functions are called where only a value tells: see
// tryPending. Variable type analysis, VTA, is another way to that. It tells neither objects
// nor the calls of a function apart, so of large programs it finds more. A call that only it
// finds is one that it takes for possible because of that, or one that we miss.

var callsModule = flag.String("calls.module", "", "directory of a module: compare the calls of its tests with VTA, and print the differences")

// calls is a set of dynamic calls: who may be called where.
type calls map[ssa.CallInstruction]map[*ssa.Function]bool

func (c calls) add(site ssa.CallInstruction, fn *ssa.Function) {
	if c[site] == nil {
		c[site] = make(map[*ssa.Function]bool)
	}
	c[site][fn] = true
}

// comparison is of the calls of functions that are analysed, in them.
type comparison struct {
	sites, ours, theirs, covered int
	// onlyOurs and onlyTheirs are calls that only one of both has. A call of a function that is
	// not known may be of any that unknown code can call.
	onlyOurs, onlyTheirs calls
	impossible           calls // of ours, of functions with other parameters
	took, vta            time.Duration
}

func (c *comparison) add(d *comparison) {
	c.sites, c.ours, c.theirs, c.covered = c.sites+d.sites, c.ours+d.ours, c.theirs+d.theirs, c.covered+d.covered
}

func (c *comparison) String() string {
	return fmt.Sprintf("%d sites, %d calls, %d for VTA, which has %d more (besides %d where any function may be called) and %d less",
		c.sites, c.ours, c.theirs, c.onlyTheirs.len(), c.covered, c.onlyOurs.len())
}

func (c calls) len() (n int) {
	for _, fns := range c {
		n += len(fns)
	}
	return n
}

// list returns the calls as text, in order.
func (c calls) list(base string) (out []string) {
	for site, fns := range c {
		p := site.Parent().Prog.Fset.Position(cmp.Or(site.Pos(), site.Parent().Pos()))
		if rel, err := filepath.Rel(base, p.Filename); err == nil {
			p.Filename = filepath.ToSlash(rel)
		}
		for fn := range fns {
			out = append(out, fmt.Sprintf("%s:%d in %s: %s", p.Filename, p.Line, site.Parent(), fn))
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// compareCalls compares the calls of a program with those that VTA finds in the same
// functions.
func compareCalls(t *testing.T, prog *ssa.Program, pkgs []*ssa.Package) *comparison {
	t.Helper()
	began := time.Now()
	r, sites, unknown, err := escape.ProgramCalls(t.Context(), prog, pkgs, escape.Options{})
	if err != nil {
		t.Fatal(err)
	}
	c := &comparison{sites: len(sites), onlyOurs: make(calls), onlyTheirs: make(calls), impossible: make(calls), took: time.Since(began)}
	began = time.Now()
	possible := cha.CallGraph(prog)
	theirs := vta.CallGraph(r.Analysed(), vta.CallGraph(r.Analysed(), possible)) // twice, as it recommends
	c.vta = time.Since(began)
	fits, found := siteCalls(r, possible), siteCalls(r, theirs)
	for site, ours := range sites {
		for fn := range ours.Functions {
			if !r.HasBody(fn) {
				continue
			}
			c.ours++
			if !found[site][fn] {
				c.onlyOurs.add(site, fn)
			}
			if !fits[site][fn] {
				c.impossible.add(site, fn)
			}
		}
		for fn := range found[site] {
			c.theirs++
			switch {
			case ours.Functions[fn]:
			case ours.Unknown && unknown[fn]:
				c.covered++
			default:
				c.onlyTheirs.add(site, fn)
			}
		}
	}
	return c
}

// siteCalls returns the calls in a graph of functions that are analysed.
func siteCalls(r *escape.Result, g *callgraph.Graph) calls {
	out := make(calls)
	for _, n := range g.Nodes {
		for _, e := range n.Out {
			if fn := r.Standing(e.Callee.Func); e.Site != nil && r.HasBody(fn) {
				out.add(e.Site, fn)
			}
		}
	}
	return out
}

// loadPrograms returns the packages of patterns in dir with their tests, by directory.
func loadPrograms(t *testing.T, dir string, patterns ...string) map[string][]*packages.Package {
	t.Helper()
	cfg := &packages.Config{
		Context: t.Context(), Dir: dir, Fset: token.NewFileSet(), Tests: true, Mode: packages.LoadSyntax | packages.NeedForTest,
		Env: append(os.Environ(), "GOWORK=off"),
	}
	loaded, err := packages.Load(cfg, patterns...)
	if err != nil {
		t.Fatal(err)
	}
	slices.SortStableFunc(loaded, func(a, b *packages.Package) int { return strings.Compare(a.ID, b.ID) })
	programs := make(map[string][]*packages.Package)
	for _, p := range loaded {
		if strings.HasSuffix(p.PkgPath, ".test") || len(p.GoFiles) == 0 {
			continue
		}
		if p.IllTyped {
			t.Logf("%s: ill-typed, left out", p.ID)
			continue
		}
		in := filepath.Dir(p.GoFiles[0])
		programs[in] = append(programs[in], p)
	}
	return programs
}

func buildProgram(loaded []*packages.Package) (*ssa.Program, []*ssa.Package) {
	prog, pkgs := ssautil.Packages(loaded, ssa.InstantiateGenerics|ssa.GlobalDebug)
	prog.Build()
	return prog, slices.DeleteFunc(pkgs, func(p *ssa.Package) bool { return p == nil })
}

// mixed are calls of ours of functions that have other parameters, with the reason.
var mixed = map[string]string{
	"library/library.go:184 in github.com/coopvet/coop/escape/testdata/programs/library.iterators$1: github.com/coopvet/coop/escape/testdata/programs/library.iterators$1$1": "a function of the library is not told apart from what it is given",
}

// missedByVTA is the share of calls that only we find, at most. They are of what comes out
// of the standard library and of errgroup, whose code VTA does not have, and of what is
// received by range or with two results, which it forgets.
const missedByVTA = 0.25

// TestCallsAndVTA compares the calls of each program of the corpus and of testdata/programs
// with those that VTA finds.
func TestCallsAndVTA(t *testing.T) {
	all := comparison{onlyOurs: make(calls), onlyTheirs: make(calls), impossible: make(calls)}
	only := 0
	seen := make(map[string]bool)
	for _, base := range []string{"../testdata/corpus", "testdata/programs"} {
		root, err := filepath.Abs(base)
		if err != nil {
			t.Fatal(err)
		}
		patterns := []string{"./..."}
		if base == "testdata/programs" { // which is hidden from patterns
			patterns = programsOf(t, base)
		}
		for _, loaded := range loadPrograms(t, root, patterns...) {
			prog, pkgs := buildProgram(loaded)
			c := compareCalls(t, prog, pkgs)
			all.add(c)
			only += c.onlyOurs.len()
			for _, call := range c.impossible.list(root) {
				if seen[call] = true; mixed[call] == "" {
					t.Errorf("the parameters do not fit: %s", call)
				}
			}
			for _, call := range c.onlyTheirs.list(root) {
				t.Errorf("only VTA finds %s", call)
			}
			for _, call := range c.onlyOurs.list(root) {
				t.Logf("only we have %s", call)
			}
		}
	}
	for call := range mixed {
		if !seen[call] {
			t.Errorf("the parameters fit now, or it is not called: %s", call)
		}
	}
	t.Logf("%d sites, %d calls, of which VTA does not find %d; %d for VTA, of which %d are where any function may be called", all.sites, all.ours, only, all.theirs, all.covered)
	if share := float64(only) / float64(all.ours); share > missedByVTA {
		t.Errorf("VTA does not find %.0f %% of the calls, want at most %.0f %%", 100*share, 100*missedByVTA)
	}
	if all.sites < 100 {
		t.Error("too few calls to say anything")
	}
}

func programsOf(t *testing.T, base string) (patterns []string) {
	t.Helper()
	dirs, err := filepath.Glob(filepath.Join(base, "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range dirs {
		patterns = append(patterns, "./"+filepath.Base(d))
	}
	return patterns
}

// TestCallsOfModule prints how the calls of a module's tests differ from those that VTA
// finds, and what both cost.
//
//	go test ./escape -run=TestCallsOfModule -calls.module=$HOME/src/zap -v -timeout=0
func TestCallsOfModule(t *testing.T) {
	if *callsModule == "" {
		t.Skip("no -calls.module")
	}
	var loaded []*packages.Package
	for _, list := range loadPrograms(t, *callsModule, "./...") {
		loaded = append(loaded, list...)
	}
	slices.SortStableFunc(loaded, func(a, b *packages.Package) int { return strings.Compare(a.ID, b.ID) })
	prog, pkgs := buildProgram(loaded)
	c := compareCalls(t, prog, pkgs)
	for _, call := range c.onlyTheirs.list(*callsModule) {
		t.Logf("only VTA has %s", call)
	}
	t.Logf("%v; the analysis took %.1f s, VTA %.1f s", c, c.took.Seconds(), c.vta.Seconds())
}
