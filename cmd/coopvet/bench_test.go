package main

import (
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/go/analysis"

	"github.com/coopvet/coop/analyzers"
)

// BenchmarkVet compares "go vet" with and without coopvet on the packages of this module, with
// all that is compiled in the build cache and nothing that has been vetted.
func BenchmarkVet(b *testing.B) {
	vet := func(args ...string) time.Duration {
		cmd := exec.Command("go", append(append([]string{"vet"}, args...), "github.com/coopvet/coop/...")...)
		start := time.Now()
		out, err := cmd.CombinedOutput()
		// Findings in the corpus are none of an error.
		if err != nil && !strings.Contains(string(out), "testdata/corpus/buggy") {
			b.Fatalf("%v\n%s", err, out)
		}
		return time.Since(start)
	}
	vet() // fills the build cache
	var plain, own time.Duration
	for n := 0; b.Loop(); n++ {
		plain += vet(fmt.Sprintf("-printf.funcs=unknown%d", time.Now().UnixNano()))
		own += vet("-vettool=" + freshTool(b, n))
	}
	b.ReportMetric(plain.Seconds()/float64(b.N), "plain-s/op")
	b.ReportMetric(own.Seconds()/float64(b.N), "coopvet-s/op")
	b.ReportMetric(own.Seconds()/plain.Seconds(), "ratio")
}

// freshTool returns a copy of this program of which the go command has no results.
func freshTool(b *testing.B, n int) string {
	b.Helper()
	exe, err := os.Executable()
	if err != nil {
		b.Fatal(err)
	}
	data, err := os.ReadFile(exe)
	if err != nil {
		b.Fatal(err)
	}
	file := filepath.Join(b.TempDir(), fmt.Sprintf("coopvet%d", n))
	if err := os.WriteFile(file, append(data, fmt.Sprint(time.Now().UnixNano())...), 0o777); err != nil {
		b.Fatal(err)
	}
	return file
}

// growing are programs of n parts.
var growing = []struct {
	name string
	part func(i int) string
}{
	{"functions", func(i int) string {
		return fmt.Sprintf("func (s *S) f%d(n int) int {\n\ts.mu.Lock()\n\tdefer s.mu.Unlock()\n\tif n > 0 {\n\t\ts.a += n\n\t}\n\treturn s.a\n}\n", i)
	}},
	{"calls", func(i int) string {
		return fmt.Sprintf("func (s *S) f%d(n int) int {\n\ts.a += n\n\tif n > s.b {\n\t\treturn s.f%d(n-1) + s.f%d(n-2)\n\t}\n\treturn s.a\n}\n", i, max(i-1, 0), i/2)
	}},
	{"goroutines", func(i int) string {
		return fmt.Sprintf("func (s *S) f%d(n int) {\n\tfor range n {\n\t\ts.wg.Go(func() {\n\t\t\ts.mu.Lock()\n\t\t\ts.a++\n\t\t\ts.mu.Unlock()\n\t\t})\n\t}\n\ts.wg.Wait()\n\ts.b = s.a\n}\n", i)
	}},
	{"channels", func(i int) string {
		return fmt.Sprintf("func f%d(n int) int {\n\tc := make(chan int, n)\n\tfor i := range n {\n\t\tgo func() { c <- i }()\n\t}\n\tsum := 0\n\tfor range n {\n\t\tsum += <-c\n\t}\n\treturn sum\n}\n", i)
	}},
	{"locks", func(i int) string {
		return fmt.Sprintf("type t%d struct {\n\tmu sync.Mutex\n\tn int\n}\n\nfunc (t *t%d) f(u *t%d) {\n\tt.mu.Lock()\n\tdefer t.mu.Unlock()\n\tu.mu.Lock()\n\tt.n += u.n\n\tu.mu.Unlock()\n}\n", i, i, i/2)
	}},
}

// A program is one package, type-checked.
type program struct {
	fset *token.FileSet
	file *ast.File
	pkg  *types.Package
	info *types.Info
}

// load makes a program of n parts.
func load(tb testing.TB, part func(int) string, n int) *program {
	tb.Helper()
	var src strings.Builder
	src.WriteString("package m\n\nimport \"sync\"\n\ntype S struct {\n\tmu sync.Mutex\n\twg sync.WaitGroup\n\ta, b int\n}\n\n")
	for i := range n {
		src.WriteString(part(i) + "\n")
	}
	p := &program{fset: token.NewFileSet(), info: &types.Info{
		Types: make(map[ast.Expr]types.TypeAndValue), Instances: make(map[*ast.Ident]types.Instance),
		Defs: make(map[*ast.Ident]types.Object), Uses: make(map[*ast.Ident]types.Object),
		Implicits: make(map[ast.Node]types.Object), Selections: make(map[*ast.SelectorExpr]*types.Selection),
		Scopes: make(map[ast.Node]*types.Scope), FileVersions: make(map[*ast.File]string),
	}}
	var err error
	if p.file, err = parser.ParseFile(p.fset, "m.go", src.String(), parser.ParseComments); err != nil {
		tb.Fatal(err)
	}
	conf := types.Config{Importer: importer.ForCompiler(p.fset, "source", nil), GoVersion: "go1.26"}
	if p.pkg, err = conf.Check("m", p.fset, []*ast.File{p.file}, p.info); err != nil {
		tb.Fatal(err)
	}
	return p
}

// analyse runs all checks on the package, without facts about others.
func analyse(tb testing.TB, p *program) {
	tb.Helper()
	results := make(map[*analysis.Analyzer]any)
	var run func(a *analysis.Analyzer)
	run = func(a *analysis.Analyzer) {
		if _, done := results[a]; done {
			return
		}
		for _, r := range a.Requires {
			run(r)
		}
		result, err := a.Run(&analysis.Pass{
			Analyzer: a, Fset: p.fset, Files: []*ast.File{p.file}, Pkg: p.pkg, TypesInfo: p.info, TypesSizes: types.SizesFor("gc", "amd64"),
			ResultOf: results, Report: func(analysis.Diagnostic) {}, ReadFile: os.ReadFile,
			ImportObjectFact:  func(types.Object, analysis.Fact) bool { return false },
			ImportPackageFact: func(*types.Package, analysis.Fact) bool { return false },
			ExportObjectFact:  func(types.Object, analysis.Fact) {},
			ExportPackageFact: func(analysis.Fact) {},
			AllObjectFacts:    func() []analysis.ObjectFact { return nil },
			AllPackageFacts:   func() []analysis.PackageFact { return nil },
		})
		if err != nil {
			tb.Fatal(err)
		}
		results[a] = result
	}
	for _, a := range analyzers.Suite() {
		run(a)
	}
}

// BenchmarkGrowth is the cost curve: the time for a part should not depend on how many there are.
func BenchmarkGrowth(b *testing.B) {
	for _, g := range growing {
		for _, n := range []int{500, 1000, 2000, 4000} {
			b.Run(fmt.Sprintf("%s=%d", g.name, n), func(b *testing.B) {
				p := load(b, g.part, n)
				for b.Loop() {
					analyse(b, p)
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/part")
			})
		}
	}
}

// The memory that a part costs, which unlike time is the same in every run, does not grow with
// their number.
func TestGrowth(t *testing.T) {
	if testing.Short() {
		t.Skip("analyses large programs")
	}
	cost := func(part func(int) string, n int) float64 {
		p := load(t, part, n)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		analyse(t, p)
		runtime.ReadMemStats(&after)
		return float64(after.TotalAlloc - before.TotalAlloc)
	}
	for _, g := range growing {
		const n, times = 400, 4
		small, large := cost(g.part, n), cost(g.part, n*times)
		if ratio := large / small; ratio > times*1.5 {
			t.Errorf("%s: %d times as many cost %.1f times as much", g.name, times, ratio)
		} else {
			t.Logf("%s: %d times as many cost %.1f times as much", g.name, times, ratio)
		}
	}
}
