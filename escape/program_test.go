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
func analyse(t *testing.T, dirs ...string) map[string]*escape.Result {
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
		r, err := escape.Program(ctx, prog, pkgs, nil)
		if err != nil {
			t.Fatal(err)
		}
		results[filepath.Base(loaded[i].PkgPath)] = r
	}
	return results
}

var wantComment = regexp.MustCompile(`// want (.*)$`)

// The programs of testdata/programs say at lines with accesses which classes these
// have: all of them, in alphabetical order. Accesses by which a new object is
// initialised do not count.
func TestPrograms(t *testing.T) {
	dirs, err := filepath.Glob("testdata/programs/*")
	if err != nil || len(dirs) == 0 {
		t.Fatalf("no programs: %v", err)
	}
	for name, r := range analyse(t, dirs...) {
		t.Run(name, func(t *testing.T) {
			files, _ := filepath.Glob(filepath.Join("testdata/programs", name, "*.go"))
			expected := 0
			for _, file := range files {
				abs, _ := filepath.Abs(file)
				got := make(map[int][]string)
				for _, s := range r.Sites() {
					if p := r.Position(s.Pos); p.Filename == abs && !s.Initial {
						got[p.Line] = append(got[p.Line], s.Classes()...)
					}
				}
				text, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				for n, line := range strings.Split(string(text), "\n") {
					m := wantComment.FindStringSubmatch(line)
					if m == nil {
						continue
					}
					expected++
					have := slices.Sorted(slices.Values(got[n+1]))
					if s := strings.Join(slices.Compact(have), ", "); s != m[1] {
						t.Errorf("%s:%d: %q, want %q", filepath.Base(file), n+1, s, m[1])
					}
				}
			}
			if expected == 0 {
				t.Error("the program expects nothing")
			}
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
