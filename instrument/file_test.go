package instrument

import (
	"bytes"
	"go/ast"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/coopvet/coop/runner/sched"
)

const access = `package p

type T struct{ n int }

func f(t *T) int { return t.n }
`

// TestOddFiles: what is unusual about a file as a whole.
func TestOddFiles(t *testing.T) {
	const probed = "return _coop.Load(1, &t.n)"
	for _, test := range []struct {
		name, version, src string
		want               []string // parts of the edited file; none: it is not edited
	}{
		{"plain", "", access, []string{`package p; import _coop "` + probePath + `"` + "\n", probed}},
		{"BOM", "", "\xef\xbb\xbf" + access, []string{"\xef\xbb\xbfpackage p; import", probed}},
		{"CRLF", "", strings.ReplaceAll(access, "\n", "\r\n"), []string{"\"\r\n\r\ntype T", probed}},
		{"comment behind the package", "", strings.Replace(access, "package p", "package p // import \"x\"", 1), []string{probePath + `" // import`}},
		{"semicolon", "", strings.Replace(access, "package p\n", "package p; import \"os\"; var _ = os.Args\n", 1), []string{probePath + `"; import "os";`}},
		{"taken name", "", access + "var _coop, _coop_1 int\n", []string{"import _coop__ ", "_coop__.Load(1, &t.n)"}},
		{"taken label", "", access + "func g() { _coop3: goto _coop3 }\n", []string{"import _coop_ "}},
		{"build constraint", "", "//go:build linux || !linux\n\n" + access, []string{"//go:build linux || !linux\n\npackage p;"}},
		{"old with build constraint", "go1.17", "//go:build linux || !linux\n\n" + access, []string{"//go:build go1.21 && ( linux || !linux)\n\npackage p;"}},
		{"old", "go1.12", access, []string{"//go:build go1.21\n\n/*line :1:1*/package p; import", probed}},
		{"old with comment", "go1.20", "// Copyright\n\n// +build linux\n\n" + access, []string{"//go:build go1.21\n\n/*line :1:1*/// Copyright\n"}},
		{"new enough", "go1.21", access, []string{"package p; import"}},
		{"cgo", "", strings.Replace(access, "package p\n", "package p; import \"C\"\n", 1), nil},
		{"nosplit", "", strings.Replace(access, "func f", "// f is.\n//\n//go:nosplit\nfunc f", 1), nil},
		{"norace", "", strings.Replace(access, "func f", "//go:norace\nfunc f", 1), nil},
		{"linkname", "", strings.Replace(access, "\n", "\n\nimport _ \"unsafe\"\n\n//go:linkname f other.f\n", 1), nil},
		{"noinline", "", strings.Replace(access, "func f", "//go:noinline\nfunc f", 1), []string{probed}},
		{"no access", "", "package p\n\nfunc f(n int) int { return n }\n", nil},
		{"initialiser", "", "package p\n\nvar a = &d\nvar d int\nvar b = *a + len(c)\nvar c = []int{*a}\n", nil},
		{"literal in initialiser", "", "package p\n\nvar a int\nvar b = func() int { return a }()\n", []string{"{ return _coop.Load(1, &a) }()"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, sites := edit(t, "p.go", []byte(test.src), test.version, Options{FirstSite: 1})
			if test.want == nil {
				if string(got) != test.src || len(sites) != 0 {
					t.Errorf("edited:\n%s", got)
				}
				return
			}
			for _, part := range test.want {
				if !bytes.Contains(got, []byte(part)) {
					t.Errorf("%q is not in\n%q", part, got)
				}
			}
			if !strings.HasPrefix(test.version, "go1.1") && test.version != "go1.20" && bytes.Count(got, []byte("\n")) != strings.Count(test.src, "\n") {
				t.Errorf("other number of lines:\n%s", got)
			}
		})
	}
}

// TestLineEnds: positions in files with carriage returns, of which the syntax tree
// leaves out those in raw strings.
func TestLineEnds(t *testing.T) {
	src := strings.ReplaceAll("package p\n\nvar s []string\n\nfunc f() {\n\ts[0] = `a\nb`\n\ts[1] = `c\n`\n}\n", "\n", "\r\n")
	got, sites := edit(t, "p.go", []byte(src), "", Options{FirstSite: 1})
	if want := "Store(2, `a\r\nb`)\r\n"; !bytes.Contains(got, []byte(want)) {
		t.Errorf("%q is not in %q", want, got)
	}
	if line := sites[2].Pos.Line; line != 8 {
		t.Errorf("line %d, want 8", line)
	}
}

func TestSites(t *testing.T) {
	src := `package p

type T struct{ n int; list []int; m map[string]int }

func (t *T) f() {
//line other.go:100
	t.n++
	func() { _ = t.
		list[t.n] }()
	t.m["a"] = 1
	for _, v := range t.list { _ = v }
}

func g[E any](p *E) E { return *p }
`
	_, sites := edit(t, "p.go", []byte(src), "", Options{FirstSite: 41})
	want := []Site{
		{Kind: sched.Read, Expr: "t.n", Func: "(*T).f"},
		{Kind: sched.Write, Expr: "t.n", Func: "(*T).f"},
		{Kind: sched.Read, Expr: "t. list[t.n]", Func: "(*T).f.func1"},
		{Kind: sched.Read, Expr: "t. list", Func: "(*T).f.func1"},
		{Kind: sched.Read, Expr: "t.n", Func: "(*T).f.func1"},
		{Kind: sched.MapWrite, Expr: "t.m", Func: "(*T).f"},
		{Kind: sched.Read, Expr: "t.m", Func: "(*T).f"},
		{Kind: sched.Read, Expr: "t.list", Func: "(*T).f"},
		{Kind: sched.Read, Expr: "t.list[…]", Func: "(*T).f"},
		{Kind: sched.Read, Expr: "*p", Func: "g"},
	}
	lines := []int{7, 7, 8, 9, 9, 10, 10, 11, 11, 14}
	if len(sites) != len(want) {
		t.Fatalf("%d sites: %v", len(sites), sites)
	}
	for i, s := range sites {
		if s.ID != uint32(41+i) || s.Pos.Filename != "p.go" || s.Pos.Line != lines[i] || s.Pos.Column == 0 {
			t.Errorf("site %d: %d at %v, want line %d", i, s.ID, s.Pos, lines[i])
		}
		s.ID, s.Pos = 0, want[i].Pos
		if s != want[i] {
			t.Errorf("site %d: %+v, want %+v", i, s, want[i])
		}
	}
}

// onlyFields makes accesses to fields visible, and remembers what it is asked.
type onlyFields struct{ asked []string }

func (o *onlyFields) Visible(a Access) bool {
	s := a.Kind.String()
	if a.Elements {
		s += " elements"
	}
	o.asked = append(o.asked, s)
	_, ok := a.Expr.(*ast.SelectorExpr)
	return ok && !a.Elements && a.Kind != sched.MapRead && a.Kind != sched.MapWrite
}

func TestClassifier(t *testing.T) {
	src := `package p

var g, h int

type T struct{ n, m int; list []int; table map[int]int }

func f(t *T, p *int) {
	g = h
	t.n = *p
	t.n, g = g, t.m
	h, *p = 1, 2
	t.list[0] = t.table[1]
	t.table[2] += g
	t.table[3], h = g, t.table[4]
	copy(t.list, t.list)
	for g, t.m = range t.list {
	}
	for h = range t.table {
	}
}
`
	classes := &onlyFields{}
	out, sites := edit(t, "p.go", []byte(src), "", Options{FirstSite: 1, Classes: classes})
	for _, s := range sites {
		if !strings.HasPrefix(s.Expr, "t.") || strings.ContainsAny(s.Expr, "[…") || s.Kind != sched.Read && s.Kind != sched.Write {
			t.Errorf("probe of %s %s\n%s", s.Kind, s.Expr, out)
		}
	}
	if len(sites) < 10 {
		t.Errorf("%d sites\n%s", len(sites), out)
	}
	for _, want := range []string{"read", "write", "map-read", "map-write", "write elements", "read elements"} {
		found := false
		for _, s := range classes.asked {
			found = found || s == want
		}
		if !found {
			t.Errorf("not asked for %s", want)
		}
	}
	edit(t, "p.go", out, "", Options{}) // still type-checks
	none, sites := edit(t, "p.go", []byte(src), "", Options{Classes: nothing{}})
	if string(none) != src || sites != nil {
		t.Errorf("edited without visible accesses:\n%s", none)
	}
}

type nothing struct{}

func (nothing) Visible(Access) bool { return false }

// TestLocals: the body of each function is instrumented alone; want lists the
// variables with probes.
func TestLocals(t *testing.T) {
	for _, test := range []struct {
		name, version, body string
		want                []string
	}{
		{"plain", "", "x := 1; x++; use(x)", nil},
		{"address", "", "x := 1; p := &x; x++; use(*p)", []string{"*p", "x"}},
		{"field address", "", "var x struct{ a, b int }; p := &x.a; x.b++; use(*p)", []string{"*p", "x.b"}},
		{"pointer method", "", "var x T; x.set(); x.n++", []string{"x.n"}},
		{"value method", "", "var x T; use(x.get()); x.n++", nil},
		{"pointer in variable", "", "x := &T{}; x.set(); x = nil", nil},
		{"sliced array", "", "var x [3]int; s := x[:]; x[1]++; _ = s", []string{"x[1]"}},
		{"sliced slice", "", "x := []int{1}; s := x[:]; x = nil; _ = s", nil},
		{"captured", "", "x := 1; go func() { use(x) }()", nil},
		{"captured, assigned before", "", "x := 1; x = 2; go func() { use(x) }()", nil},
		{"captured, assigned after", "", "x := 1; go func() { use(x) }(); x = 2", []string{"x"}},
		{"captured, assigned inside", "", "x := 1; go func() { x++ }(); use(x)", []string{"x"}},
		{"captured, field assigned", "", "var x T; go func() { use(x.n) }(); x.n = 2", []string{"x.n"}},
		{"captured in loop", "", "x := 1; for { x = 2; go func() { use(x) }() }", []string{"x"}},
		{"declared in loop", "", "for { x := 1; x = 2; go func() { use(x) }() }", nil},
		{"goto", "", "x := 1; again: x = 2; go func() { use(x) }(); goto again", []string{"x"}},
		{"called literal", "", "x := 1; func() { x++ }(); use(x)", nil},
		{"deferred literal", "", "x := 1; defer func() { x++ }(); use(x)", nil},
		{"literal in deferred literal", "", "x := 1; defer func() { go func() { x++ }() }(); use(x)", []string{"x"}},
		{"assigned in deferred literal", "", "x := 1; defer func() { x = 2 }(); go func() { use(x) }()", []string{"x"}},
		{"recursive literal", "", "var f func(); f = func() { f() }; f()", nil},
		{"loop variable", "", "for i := 0; i < 2; i++ { go func() { use(i) }() }", nil},
		{"shared loop variable", "go1.21", "for i := 0; i < 2; i++ { go func() { use(i) }() }", []string{"i"}},
		{"loop variable assigned in body", "", "for i := 0; i < 2; i++ { go func() { use(i) }(); i++ }", []string{"i"}},
		{"range variable", "", "for i := range 2 { go func() { use(i) }() }", nil},
		{"shared range variable", "go1.21", "for i := range [2]int{} { go func() { use(i) }() }", []string{"i"}},
		{"range assigns", "", "x := 1; go func() { use(x) }(); for x = range 2 {}", []string{"x"}},
		{"receive assigns", "", "x := 1; go func() { use(x) }(); select { case x = <-c: }", []string{"x"}},
		{"redeclared", "", "x, y := 1, 2; go func() { use(x) }(); x, z := 3, 4; use(y + z)", []string{"x"}},
		{"type switch", "", "switch x := any(1).(type) { case int: go func() { use(x) }(); x = 2 }", []string{"x"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			src := "package p\n\ntype T struct{ n int }\n\nfunc (t *T) set() {}\nfunc (t T) get() int { return 1 }\nfunc use(int) {}\n\nfunc f(c chan int) {\n" + test.body + "\n}\n"
			out, sites := edit(t, "p.go", []byte(src), test.version, Options{})
			var got []string
			seen := map[string]bool{}
			for _, s := range sites {
				if !seen[s.Expr] {
					seen[s.Expr] = true
					got = append(got, s.Expr)
				}
			}
			slices.Sort(got)
			if !reflect.DeepEqual(got, test.want) {
				t.Errorf("probes of %q, want %q\n%s", got, test.want, out)
			}
		})
	}
}

// TestNamedResults: a goroutine that outlives its function sees the result set.
func TestNamedResults(t *testing.T) {
	src := "package p\n\nfunc f() (n int, err error) {\n\tgo func() { n = 1 }()\n\tif n > 1 {\n\t\treturn\n\t}\n\treturn 2, nil\n}\n"
	out, _ := edit(t, "p.go", []byte(src), "", Options{FirstSite: 1})
	if want := "{ _coop.Write(3, &n); return 2, nil }\n}"; !bytes.Contains(out, []byte(want)) {
		t.Errorf("%q is not in\n%s", want, out)
	}
	shadowed := strings.Replace(src, "return 2, nil", "n := 3\n\tif n > 2 {\n\t\treturn 2, nil\n\t}\n\treturn n, err", 1)
	shadowed = strings.Replace(shadowed, "\tn := 3", "\t{\n\tn := 3", 1) + "}\n"
	if out, _ := edit(t, "p.go", []byte(shadowed), "", Options{}); bytes.Contains(out, []byte("Write(")) {
		t.Errorf("another variable is announced\n%s", out)
	}
}

// TestOldModule builds and runs a module without generics, instrumented, and looks at
// the lines that it prints.
func TestOldModule(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write("go.mod", "module old\n\ngo 1.13\n")
	write("main.go", `// Old program.

package main

import (
	"fmt"
	"runtime"
)

type T struct{ n int }

func main() {
	t := &T{}
	var fs []func() int
	for i := 0; i < 3; i++ {
		t.n += i
		fs = append(fs, func() int { return i })
	}
	for _, v := range []int{4, 5} {
		fs = append(fs, func() int { return v })
	}
	_, file, line, _ := runtime.Caller(0)
	fmt.Println(t.n, line, file[len(file)-8:])
	for _, f := range fs {
		fmt.Println(f()) // the loops share their variables
	}
	var m map[interface{}]int
	m[t] = t.n
}
`)
	write("other.go", "// +build linux darwin windows\n\npackage main\n\nfunc init() { println(global); global++ }\n\nvar global int\n")
	o := newOverlay(t)
	o.addProbe(t)
	if n := o.instrument(t, dir, "."); n == 0 {
		t.Fatal("no sites")
	}
	out, err := o.goRunError(t, dir)
	if err == nil {
		t.Error("the panic is lost")
	}
	for _, want := range []string{"0\n3 22 /main.go\n3\n3\n3\n5\n5\n", "assignment to entry in nil map", "main.go:28"} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is not in the output\n%s", want, out)
		}
	}
}
