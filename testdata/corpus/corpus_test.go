// Package corpus checks the ground truth of the programs below it: every buggy
// program has a corrected twin and says which failures it may be reported as, and
// the README lists them all.
package corpus

import (
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/coopvet/coop/runner/sched"
)

var update = flag.Bool("update", false, "write the table of programs into README.md")

// A program is one directory of the corpus.
type program struct {
	name    string // <primitive>/<name>
	summary string // the first paragraph of the package comment
	expect  []sched.FailureKind
	tests   []string
	imports []string
}

func load(t *testing.T, verdict string) map[string]program {
	t.Helper()
	dirs, err := filepath.Glob(filepath.Join(verdict, "*", "*"))
	if err != nil {
		t.Fatal(err)
	}
	programs := make(map[string]program)
	for _, dir := range dirs {
		p := parse(t, dir)
		programs[p.name] = p
	}
	return programs
}

func parse(t *testing.T, dir string) program {
	t.Helper()
	p := program{name: filepath.Base(filepath.Dir(dir)) + "/" + filepath.Base(dir)}
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		p.add(f)
	}
	return p
}

func (p *program) add(f *ast.File) {
	for _, line := range strings.Split(f.Doc.Text(), "\n") {
		if kinds, ok := strings.CutPrefix(line, "Expect: "); ok {
			for _, kind := range strings.Split(kinds, "|") {
				p.expect = append(p.expect, sched.FailureKind(kind))
			}
		}
	}
	if f.Doc != nil {
		p.summary, _, _ = strings.Cut(f.Doc.Text(), "\n")
	}
	for _, spec := range f.Imports {
		p.imports = append(p.imports, strings.Trim(spec.Path.Value, `"`))
	}
	for _, decl := range f.Decls {
		if fn, ok := decl.(*ast.FuncDecl); ok && strings.HasPrefix(fn.Name.Name, "Test") && fn.Name.Name != "TestMain" {
			p.tests = append(p.tests, fn.Name.Name)
		}
	}
}

func TestGroundTruth(t *testing.T) {
	kinds := []sched.FailureKind{
		sched.FailTest, sched.FailPanic, sched.FailFatal, sched.FailExit, sched.FailDeadlock,
		sched.FailLeak, sched.FailRace, sched.FailLivelock, sched.FailHang,
	}
	buggy, clean := load(t, "buggy"), load(t, "clean")
	if len(buggy) < 60 {
		t.Errorf("only %d buggy programs", len(buggy))
	}
	for name, p := range buggy {
		if len(p.expect) == 0 {
			t.Errorf("buggy/%s: no line \"Expect: kind|...\" in the package comment", name)
		}
		for _, kind := range p.expect {
			if !slices.Contains(kinds, kind) {
				t.Errorf("buggy/%s: %q is not a kind of failure", name, kind)
			}
		}
		twin, ok := clean[name]
		if !ok {
			t.Errorf("buggy/%s: no corrected twin", name)
		} else if !slices.Equal(p.tests, twin.tests) {
			t.Errorf("%s: tests %v and %v differ", name, p.tests, twin.tests)
		}
		check(t, "buggy/", p)
	}
	for name, p := range clean {
		if _, ok := buggy[name]; !ok {
			t.Errorf("clean/%s: no buggy twin", name)
		}
		if len(p.expect) > 0 {
			t.Errorf("clean/%s: expects %v", name, p.expect)
		}
		check(t, "clean/", p)
	}
}

// check checks what buggy and clean programs have in common.
func check(t *testing.T, verdict string, p program) {
	t.Helper()
	if len(p.tests) == 0 {
		t.Errorf("%s%s: no test", verdict, p.name)
	}
	if !strings.HasPrefix(p.summary, "Package "+filepath.Base(p.name)+" ") || !strings.HasSuffix(p.summary, ".") {
		t.Errorf("%s%s: the package comment begins with %q", verdict, p.name, p.summary)
	}
	for _, path := range p.imports {
		if first, _, _ := strings.Cut(path, "/"); strings.Contains(first, ".") {
			t.Errorf("%s%s: imports %s, but the programs must be ordinary Go", verdict, p.name, path)
		}
	}
}

const (
	tableBegin = "<!-- programs: go test ./testdata/corpus -update -->\n"
	tableEnd   = "<!-- end of programs -->\n"
)

func TestReadme(t *testing.T) {
	data, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	head, rest, ok1 := strings.Cut(string(data), tableBegin)
	_, tail, ok2 := strings.Cut(rest, tableEnd)
	if !ok1 || !ok2 {
		t.Fatal("README.md has no table of programs")
	}
	want := head + tableBegin + table(load(t, "buggy")) + tableEnd + tail
	if want == string(data) {
		return
	}
	if !*update {
		t.Fatal("the table of programs in README.md is out of date; run go test ./testdata/corpus -update")
	}
	if err := os.WriteFile("README.md", []byte(want), 0o666); err != nil {
		t.Fatal(err)
	}
}

func table(programs map[string]program) string {
	var lines []string
	for _, p := range programs {
		bug := strings.TrimPrefix(p.summary, "Package ")
		kinds := make([]string, len(p.expect))
		for i, kind := range p.expect {
			kinds[i] = string(kind)
		}
		lines = append(lines, fmt.Sprintf("| %s | %s | %s |\n", p.name, strings.Join(kinds, ", "), bug))
	}
	slices.Sort(lines)
	return "| program | reported as | bug |\n|---|---|---|\n" + strings.Join(lines, "")
}
