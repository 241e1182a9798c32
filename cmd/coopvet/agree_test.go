package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"go/token"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"
	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/go/ssa/ssautil"

	"github.com/coopvet/coop/cmd/coopvet/driver"
	"github.com/coopvet/coop/escape"
)

// Coopvet sees a package at a time and cooprun's analysis the whole program. Where both
// know a location they must agree: one that coopvet reports as unprotected is not private or
// protected for the other, or one of them is wrong.

var agreeModules = flag.String("agree", "", "modules of testdata/triage, module@version, comma-separated: compare the classes of their findings with the verdicts, or all")

// TestAgreement wants the whole-program analysis of the corpus to claim nothing of the
// places of data races that coopvet reports there, neither of the one nor of the other access.
// In the other direction there is no oracle: it prints what coopvet would report in the
// corrected programs if it reported all that is not claimed.
func TestAgreement(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the corpus")
	}
	diags, err := driver.Run(t.Context(), driver.Config{Dir: "../../testdata/corpus", Patterns: []string{"./..."}, Tests: true})
	if err != nil {
		t.Fatal(err)
	}
	known, result, err := classified(t, "../../testdata/corpus", "./...")
	if err != nil {
		t.Fatal(err)
	}
	agreed, unreached := 0, 0
	for _, d := range diags {
		if d.Check != "unprotected" {
			continue
		}
		for _, p := range accesses(d) {
			classes := known.at(p.File, p.Line)
			if d.Category == "handout" || d.Category == "pool" {
				classes = known.in(filepath.Dir(p.File)) // the accesses are the callers'
			}
			switch {
			case len(classes) == 0:
				unreached++
				t.Logf("%s: no test comes there, or the access is that of a new object", p)
			case slices.Contains(classes, escape.Unprotected.String()):
				agreed++
			default:
				t.Errorf("%s: %s; the whole program says %v", p, d.Message, classes)
			}
		}
	}
	t.Logf("%d accesses of data races are to unprotected locations for both; to %d no test comes", agreed, unreached)
	if agreed < 20 {
		t.Error("too few to say anything")
	}
	left, of, programs := leftUnprotected(result, filepath.Join("testdata", "corpus", "clean"))
	t.Logf("%d of %d locations of the corrected programs are not claimed, in %d of them", left, of, programs)
}

// accesses returns where a data race is: both accesses, if they are two.
func accesses(d driver.Diagnostic) []driver.Position {
	at := []driver.Position{d.Position}
	for _, r := range d.Related {
		if strings.HasPrefix(r.Message, "the other goroutine ") {
			at = append(at, r.Position)
		}
	}
	return at
}

// leftUnprotected counts the locations that are accessed in files below a directory of that
// name, those of them that are unprotected, and the directories where the latter are.
func leftUnprotected(r *escape.Result, below string) (left, of, programs int) {
	dirs := make(map[string]bool)
	for _, l := range r.Locations {
		p := r.Position(l.At)
		if !strings.Contains(p.Filename, below) || strings.HasSuffix(p.Filename, "_test.go") {
			continue
		}
		of++
		if l.Class == escape.Unprotected {
			left++
			dirs[filepath.Dir(p.Filename)] = true
		}
	}
	return left, of, len(dirs)
}

// TestAgreementTriage prints what the whole-program analysis says of the places of triaged
// findings. It knows the tests of one package only: what these do in one goroutine is
// unshared, whatever other programs do.
func TestAgreementTriage(t *testing.T) {
	if *agreeModules == "" {
		t.Skip("no -agree")
	}
	counts := make(map[string]map[string]int) // by verdict and what is said
	for _, f := range readFindings(t) {
		if f.check != "unprotected" || *agreeModules != "all" && !slices.Contains(strings.Split(*agreeModules, ","), f.module) {
			continue
		}
		file, line, _ := strings.Cut(f.position, ":")
		n, err := strconv.Atoi(line)
		if err != nil {
			t.Fatal(err)
		}
		dir := download(t, f.module)
		known, _, err := classified(t, dir, "./"+path.Dir(file))
		if err != nil { // an old module, or one that is not complete
			t.Logf("%-9s %-20s %s %s %v", f.verdict, "cannot be loaded", f.module, f.position, err)
			continue
		}
		classes := known.at(filepath.Join(dir, file), n)
		said := "unprotected"
		switch {
		case len(classes) == 0:
			said = "no test comes there"
		case !slices.Contains(classes, escape.Unprotected.String()):
			said = "claimed"
		}
		t.Logf("%-9s %-20s %s %s %v", f.verdict, said, f.module, f.position, classes)
		if counts[f.verdict] == nil {
			counts[f.verdict] = make(map[string]int)
		}
		counts[f.verdict][said]++
	}
	for _, v := range verdicts {
		t.Logf("%-9s %v", v, counts[v])
	}
}

// classes are those of the accesses of a program, by file and line.
type classes map[string][]string

func (c classes) at(file string, line int) []string { return c[fmt.Sprintf("%s:%d", file, line)] }

// in returns the classes of all accesses in files of dir.
func (c classes) in(dir string) []string {
	var all []string
	for at, list := range c {
		if filepath.Dir(at) == dir {
			all = append(all, list...)
		}
	}
	return all
}

// classified analyses the program that consists of the tests of packages in dir and of
// the packages of their module which they import.
func classified(t *testing.T, dir, pattern string) (classes, *escape.Result, error) {
	t.Helper()
	cfg := &packages.Config{Context: t.Context(), Dir: dir, Fset: token.NewFileSet(), Tests: true, Mode: packages.NeedName | packages.NeedImports | packages.NeedDeps | packages.NeedModule | packages.NeedForTest}
	found, err := packages.Load(cfg, pattern)
	if err != nil {
		return nil, nil, err
	}
	roots := make(map[string]bool)
	for _, p := range found {
		roots[strings.TrimSuffix(p.PkgPath, "_test")] = true
	}
	patterns := []string{pattern}
	packages.Visit(found, nil, func(p *packages.Package) {
		if p.Module != nil && p.Module.Main && p.ForTest == "" && !roots[p.PkgPath] && !strings.HasSuffix(p.PkgPath, ".test") {
			patterns = append(patterns, p.PkgPath)
		}
	})
	cfg.Mode = packages.LoadSyntax | packages.NeedForTest
	loaded, err := packages.Load(cfg, patterns...)
	if err != nil {
		return nil, nil, err
	}
	loaded = slices.DeleteFunc(loaded, func(p *packages.Package) bool { return p.ForTest != "" && !roots[p.ForTest] || p.IllTyped })
	return classify(t.Context(), loaded)
}

func classify(ctx context.Context, loaded []*packages.Package) (classes, *escape.Result, error) {
	prog, built := ssautil.Packages(loaded, ssa.InstantiateGenerics|ssa.GlobalDebug)
	prog.Build()
	built = slices.DeleteFunc(built, func(p *ssa.Package) bool { return p == nil })
	r, err := escape.Program(ctx, prog, built, escape.Options{})
	if err != nil {
		return nil, nil, err
	}
	known := make(classes)
	for _, s := range r.Sites() {
		p := r.Position(s.Pos)
		at := fmt.Sprintf("%s:%d", p.Filename, p.Line)
		known[at] = append(known[at], s.Classes()...)
	}
	for at := range known {
		slices.Sort(known[at])
		known[at] = slices.Compact(known[at])
	}
	return known, r, nil
}

// download returns the directory of a module in the module cache.
func download(t *testing.T, module string) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", "mod", "download", "-json", module).Output()
	if err != nil {
		t.Fatalf("%s: %v\n%s", module, err, out)
	}
	var m struct{ Dir string }
	if err := json.Unmarshal(out, &m); err != nil {
		t.Fatal(err)
	}
	return m.Dir
}
