package escape_test

import (
	"context"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/go/ssa/ssautil"

	"github.com/coopvet/coop/escape"
)

// growing are programs of n parts, of which main calls each.
var growing = []struct {
	name string
	part func(i int) string
	call string
}{
	{"functions", func(i int) string {
		return fmt.Sprintf("func (s *S) f%d(n int) int {\n\ts.mu.Lock()\n\tdefer s.mu.Unlock()\n\tif n > 0 {\n\t\ts.a += n\n\t}\n\treturn s.a\n}\n", i)
	}, "s.f%d(1)"},
	{"calls", func(i int) string {
		return fmt.Sprintf("func (s *S) f%d(n int) int {\n\ts.a += n\n\tif n > s.b {\n\t\treturn s.f%d(n-1) + s.f%d(n-2)\n\t}\n\treturn s.a\n}\n", i, max(i-1, 0), i/2)
	}, "s.f%d(1)"},
	{"objects", func(i int) string {
		return fmt.Sprintf("func f%d(n int) *S {\n\ts := &S{b: n}\n\ts.m = map[int]*S{n: f%d(n-1)}\n\tgo func() { s.a++ }()\n\treturn &S{m: s.m}\n}\n", i, i/2)
	}, "f%d(1)"},
	{"goroutines", func(i int) string {
		return fmt.Sprintf("func (s *S) f%d(n int) {\n\tfor range n {\n\t\ts.wg.Go(func() {\n\t\t\ts.mu.Lock()\n\t\t\ts.a++\n\t\t\ts.mu.Unlock()\n\t\t})\n\t}\n\ts.wg.Wait()\n\ts.b = s.a\n}\n", i)
	}, "s.f%d(1)"},
	{"channels", func(i int) string {
		return fmt.Sprintf("func f%d(n int) int {\n\tc := make(chan *S, n)\n\tfor i := range n {\n\t\tgo func() { c <- &S{a: i} }()\n\t}\n\tsum := 0\n\tfor range n {\n\t\tsum += (<-c).a\n\t}\n\treturn sum\n}\n", i)
	}, "f%d(1)"},
	{"locks", func(i int) string {
		return fmt.Sprintf("type t%d struct {\n\tmu sync.Mutex\n\tn int\n}\n\nfunc (t *t%d) f(u *t%d) {\n\tt.mu.Lock()\n\tdefer t.mu.Unlock()\n\tu.mu.Lock()\n\tt.n += u.n\n\tu.mu.Unlock()\n}\n\nfunc f%d() {\n\tt := &t%d{}\n\tgo t.f(&t%d{})\n\tt.f(&t%d{})\n}\n", i, i, i/2, i, i, i/2, i/2)
	}, "f%d()"},
	{"globals", func(i int) string {
		return fmt.Sprintf("var v%d = map[int]*S{}\n\nfunc f%d(n int) {\n\tmu.Lock()\n\tv%d[n] = v%d[n]\n\tmu.Unlock()\n\tgo f%d(n)\n}\n", i, i, i, i/2, i)
	}, "f%d(1)"},
	{"methods", func(i int) string {
		return fmt.Sprintf("type t%d struct{ n int }\n\nfunc (t *t%d) get() int {\n\tt.n++\n\treturn t.n\n}\n\nfunc f%d(i I) int {\n\tgo i.get()\n\treturn i.get()\n}\n", i, i, i)
	}, "f%[1]d(&t%[1]d{})"},
}

// Packages that the programs import are the same for all.
var (
	growthFiles    = token.NewFileSet()
	growthImporter = importer.ForCompiler(growthFiles, "source", nil)
)

// grown makes a program of n parts.
func grown(tb testing.TB, part func(int) string, call string, n int) *ssa.Package {
	tb.Helper()
	var src strings.Builder
	src.WriteString("package main\n\nimport \"sync\"\n\ntype S struct {\n\tmu sync.Mutex\n\twg sync.WaitGroup\n\ta, b int\n\tm map[int]*S\n}\n\ntype I interface{ get() int }\n\nvar mu sync.Mutex\n\n")
	for i := range n {
		src.WriteString(part(i) + "\n")
	}
	src.WriteString("func main() {\n\ts := &S{}\n\ts.a++\n")
	for i := range n {
		fmt.Fprintf(&src, "\t"+call+"\n", i)
	}
	src.WriteString("}\n")
	file, err := parser.ParseFile(growthFiles, "main.go", src.String(), 0)
	if err != nil {
		tb.Fatal(err)
	}
	conf := &types.Config{Importer: growthImporter, GoVersion: "go1.26"}
	pkg, _, err := ssautil.BuildPackage(conf, growthFiles, types.NewPackage("main", ""), []*ast.File{file}, ssa.InstantiateGenerics|ssa.GlobalDebug)
	if err != nil {
		tb.Fatal(err)
	}
	return pkg
}

func classify(tb testing.TB, pkg *ssa.Package) *escape.Result {
	tb.Helper()
	r, err := escape.Program(context.Background(), pkg.Prog, []*ssa.Package{pkg}, escape.Options{})
	if err != nil {
		tb.Fatal(err)
	}
	return r
}

// BenchmarkGrowth is the cost curve: the time for a part should not depend on how many there are.
func BenchmarkGrowth(b *testing.B) {
	for _, g := range growing {
		for _, n := range []int{500, 1000, 2000, 4000} {
			b.Run(fmt.Sprintf("%s=%d", g.name, n), func(b *testing.B) {
				pkg := grown(b, g.part, g.call, n)
				for b.Loop() {
					classify(b, pkg)
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/part")
			})
		}
	}
}

// The memory that a part costs, which unlike time is nearly the same in every run, does not
// grow with their number.
func TestGrowth(t *testing.T) {
	if testing.Short() {
		t.Skip("analyses large programs")
	}
	cost := func(part func(int) string, call string, n int) float64 {
		pkg := grown(t, part, call, n)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		classify(t, pkg)
		runtime.ReadMemStats(&after)
		return float64(after.TotalAlloc - before.TotalAlloc)
	}
	for _, g := range growing {
		const n, times = 250, 4
		small, large := cost(g.part, g.call, n), cost(g.part, g.call, n*times)
		if ratio := large / small; ratio > times*1.5 {
			t.Errorf("%s: %d times as many cost %.1f times as much", g.name, times, ratio)
		} else {
			t.Logf("%s: %d times as many cost %.1f times as much", g.name, times, ratio)
		}
	}
}
