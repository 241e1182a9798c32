package escape_test

import (
	"context"
	"fmt"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/go/packages"
	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/go/ssa/ssautil"

	"github.com/coopvet/coop/escape"
)

// analyse loads and classifies the packages of directories below testdata/programs,
// one program each.
func analyse(t *testing.T, work int, dirs ...string) map[string]*escape.Result {
	t.Helper()
	cfg := &packages.Config{Fset: token.NewFileSet(), Mode: packages.LoadSyntax}
	var patterns []string
	for _, d := range dirs {
		patterns = append(patterns, "./"+d)
	}
	loaded, err := packages.Load(cfg, patterns...)
	if err != nil {
		t.Fatal(err)
	}
	if packages.PrintErrors(loaded) > 0 {
		t.Fatal("the programs do not compile")
	}
	results := make(map[string]*escape.Result)
	for i := range loaded {
		prog, pkgs := ssautil.Packages(loaded[i:i+1], ssa.InstantiateGenerics|ssa.GlobalDebug)
		prog.Build()
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		r, err := escape.Program(ctx, prog, pkgs, escape.Options{Work: work})
		if err != nil {
			t.Fatal(err)
		}
		results[filepath.Base(loaded[i].PkgPath)] = r
	}
	return results
}

var wantComment = regexp.MustCompile(`// want (.*)$`)

// wantedLine is a line with an expectation.
type wantedLine struct {
	file    string
	line    int
	classes []string
}

// wanted returns the expectations of a program.
func wanted(t *testing.T, dir string) []wantedLine {
	t.Helper()
	files, _ := filepath.Glob(filepath.Join(dir, "*.go"))
	var all []wantedLine
	for _, file := range files {
		abs, err := filepath.Abs(file)
		if err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for n, line := range strings.Split(string(text), "\n") {
			if m := wantComment.FindStringSubmatch(line); m != nil {
				all = append(all, wantedLine{abs, n + 1, strings.Split(m[1], ", ")})
			}
		}
	}
	if len(all) == 0 {
		t.Errorf("%s expects nothing", dir)
	}
	return all
}

// classesAt returns the classes of the accesses in a line, in alphabetical order.
func classesAt(r *escape.Result, file string, line int) []string {
	var got []string
	for _, s := range r.Sites() {
		if p := r.Position(s.Pos); p.Filename == file && p.Line == line && !s.Initial {
			got = append(got, s.Classes()...)
		}
	}
	slices.Sort(got)
	return slices.Compact(got)
}

// expect wants the accesses to have the classes that the program says.
func expect(t *testing.T, r *escape.Result, dir string) {
	t.Helper()
	for _, w := range wanted(t, dir) {
		if got := classesAt(r, w.file, w.line); !slices.Equal(got, w.classes) {
			t.Errorf("%s:%d: %q, want %q", filepath.Base(w.file), w.line, got, w.classes)
		}
	}
}

// The programs of testdata/programs say at lines with accesses which classes these
// have: all of them, in alphabetical order. Accesses by which a new object is
// initialised do not count.
func TestPrograms(t *testing.T) {
	dirs, err := filepath.Glob("testdata/programs/*")
	if err != nil || len(dirs) == 0 {
		t.Fatalf("no programs: %v", err)
	}
	for name, r := range analyse(t, escape.DefaultWork, dirs...) {
		t.Run(name, func(t *testing.T) {
			expect(t, r, filepath.Join("testdata/programs", name))
			if t.Failed() && testing.Verbose() {
				for _, l := range r.Locations {
					fmt.Printf("%s %v: %s (%s)\n", r.Position(l.Pos), l.Name, l.Class, l.Why)
					for _, a := range l.Accesses {
						fmt.Printf("\t%s %+v\n", r.Position(a.Pos), a)
					}
				}
			}
		})
	}
}
