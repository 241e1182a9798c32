package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	goversion "go/version"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"

	"golang.org/x/tools/go/packages"
	"golang.org/x/tools/go/ssa"

	"github.com/coopvet/coop/escape"
	"github.com/coopvet/coop/instrument"
	"github.com/coopvet/coop/instrument/toolchain"
	"github.com/coopvet/coop/runner/sched"
)

// edits is the instrumented form of the selected packages of a program. Numbers of
// sites are unique in the program, so a package is compiled once for all test binaries
// that contain it.
type edits struct {
	dir      string                    // of the edited files
	packages map[string]*editedPackage // by import path; of external tests with "_test"
	illTyped map[string]string         // packages that could not be type-checked: why
	note     string                    // for the user, of the classification
}

type editedPackage struct {
	path      string            // import path
	name      string            // of the package clause
	dir       string            // of the original
	external  bool              // an external test package
	testsOnly bool              // all its files are test files
	files     map[string]string // original → edited file
	sites     []instrument.Site
	sum       string // hash of the edited files
}

// Packages that are linked into the target, as it sees them.
const (
	conductorImport = "coop/conductor"
	probeImport     = "coop/conductor/probe"
)

// analysis is what is known of the selected packages when they are edited.
type analysis struct {
	loaded  []*packages.Package
	source  *sourceTexts
	classes instrument.Classifier
	note    string // for the user, of the classification
}

// analyse loads, type-checks and classifies.
func analyse(ctx context.Context, b *builder) (*analysis, error) {
	loaded, source, err := loadSyntax(ctx, b)
	if err != nil {
		return nil, err
	}
	a := &analysis{loaded: b.prog.inBinaries(loaded), source: source}
	imported := b.prog.imported()
	a.classes, a.note = classes(ctx, b.classify, a.loaded, escape.Options{
		Work: b.work, Imported: func(p *ssa.Package) bool { return imported[p.Pkg.Path()] },
	})
	return a, nil
}

// instrumentAll loads, type-checks and edits all selected packages of the program.
func instrumentAll(ctx context.Context, b *builder) (*edits, error) {
	e := &edits{dir: filepath.Join(b.cache, "src"), packages: make(map[string]*editedPackage), illTyped: make(map[string]string)}
	a := b.analysed
	if a == nil {
		var err error
		if a, err = analyse(ctx, b); err != nil {
			return nil, err
		}
	}
	e.note = a.note
	chosen := a.classes
	var claims func(instrument.Access) sched.Claim
	if b.audit {
		chosen, claims = audited(chosen)
	}
	next := uint32(1)
	done := make(map[string]bool)
	for _, p := range a.loaded {
		path := p.PkgPath
		external := strings.HasSuffix(p.Name, "_test") && p.ForTest != "" && strings.HasSuffix(path, "_test")
		if !b.prog.selected[strings.TrimSuffix(path, "_test")] && !b.prog.selected[path] {
			continue
		}
		if len(p.Errors) > 0 {
			// The compiler describes the user's errors best. If it has no objection, the
			// package is for a newer Go than this program's type checker knows.
			e.illTyped[path] = whyIllTyped(p.Errors, b.tc.Version, runtime.Version())
			delete(e.packages, path)
		}
		if e.illTyped[path] != "" {
			continue
		}
		ep := e.packages[path]
		if ep == nil {
			ep = &editedPackage{path: path, name: p.Name, external: external, testsOnly: true, files: make(map[string]string)}
			e.packages[path] = ep
		}
		for _, f := range p.Syntax {
			name := p.Fset.PositionFor(f.FileStart, false).Filename
			src, ok := a.source.text(name)
			if done[name] || !ok || !slices.Contains(p.GoFiles, name) {
				continue // the go command's own or cgo's
			}
			done[name] = true
			ep.testsOnly = ep.testsOnly && strings.HasSuffix(name, "_test.go")
			ep.dir = filepath.Dir(name)
			out, sites, err := instrument.File(p.Fset, f, src, p.Types, p.TypesInfo, instrument.Options{ProbeImport: probeImport, Classes: chosen, Claims: claims, FirstSite: next})
			if err != nil {
				return nil, fmt.Errorf("instrumenting %s: %w", name, err)
			}
			if len(sites) == 0 {
				continue
			}
			next += uint32(len(sites))
			edited, sum, err := e.keep(out)
			if err != nil {
				return nil, cacheError(b.cache, err)
			}
			ep.files[name] = edited
			ep.sites = append(ep.sites, sites...)
			s := sha256.Sum256([]byte(ep.sum + sum))
			ep.sum = hex.EncodeToString(s[:8])
		}
	}
	return e, nil
}

// whyIllTyped says why a package of the given Go release could not be type-checked by this
// program, and if that was built with an older one, what to do: either the package itself is
// too new, or what it imports.
func whyIllTyped(errs []packages.Error, release, built string) string {
	for _, err := range errs {
		if _, version, ok := strings.Cut(err.Msg, "requires newer Go version "); ok {
			version, _, _ = strings.Cut(version, " ")
			return fmt.Sprintf("it is written for %s, and this cooprun was built with %s; build cooprun with %s", version, built, version)
		}
	}
	if goversion.Compare(goversion.Lang(release), goversion.Lang(built)) > 0 {
		return fmt.Sprintf("this cooprun was built with %s; build cooprun with %s: %s", built, release, errs[0])
	}
	return errs[0].Error()
}

// sourceTexts are the texts of the files that were parsed.
type sourceTexts struct {
	mu    sync.Mutex
	texts map[string][]byte
}

func (s *sourceTexts) text(name string) ([]byte, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	b, ok := s.texts[name]
	return b, ok
}

func (s *sourceTexts) parse(fset *token.FileSet, name string, src []byte) (*ast.File, error) {
	s.mu.Lock()
	s.texts[name] = src
	s.mu.Unlock()
	return parser.ParseFile(fset, name, src, parser.ParseComments|parser.SkipObjectResolution)
}

// loadSyntax type-checks the selected packages, those to be explored with their tests.
func loadSyntax(ctx context.Context, b *builder) ([]*packages.Package, *sourceTexts, error) {
	source := &sourceTexts{texts: make(map[string][]byte)}
	cfg := &packages.Config{
		Context: ctx, Dir: b.dir, Env: goEnv(b.config, b.tc, b.prog.copies), ParseFile: source.parse, Fset: token.NewFileSet(),
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedImports | packages.NeedTypes |
			packages.NeedTypesSizes | packages.NeedSyntax | packages.NeedTypesInfo | packages.NeedModule | packages.NeedForTest,
		BuildFlags: b.buildFlags(),
	}
	if b.prog.copies != nil {
		cfg.BuildFlags = append(cfg.BuildFlags, b.prog.copies.flags...)
	}
	var patterns []string
	cfg.Tests = true
	for _, l := range b.prog.roots {
		if b.prog.selected[l.ImportPath] {
			patterns = append(patterns, l.ImportPath)
		}
	}
	for path := range b.prog.selected {
		if !slices.Contains(patterns, path) && b.prog.loadable(path) {
			patterns = append(patterns, path)
		}
	}
	if len(patterns) > 0 && b.classify == classifyStatic {
		patterns = append(patterns, b.prog.analysed()...)
	}
	slices.Sort(patterns)
	if len(patterns) == 0 {
		return nil, source, nil
	}
	defer findGo(b.tc)()
	loaded, err := packages.Load(cfg, patterns...)
	if err != nil {
		return nil, nil, err
	}
	// A package before its test variant: the variant has more files.
	slices.SortStableFunc(loaded, func(a, b *packages.Package) int { return strings.Compare(a.ID, b.ID) })
	return loaded, source, nil
}

// loadable reports whether path is that of a package, not only of the tests of one. All of
// its variants may be for tests of other packages.
func (p *program) loadable(path string) bool {
	if p.packages[path] != nil {
		return true
	}
	for _, l := range p.packages {
		if l.path() == path && path != l.ForTest+"_test" {
			return true
		}
	}
	return false
}

// inBinaries leaves out the tests of packages that are only dependencies.
func (p *program) inBinaries(loaded []*packages.Package) []*packages.Package {
	return slices.DeleteFunc(loaded, func(l *packages.Package) bool {
		return l.ForTest != "" && !slices.ContainsFunc(p.roots, func(r *listed) bool { return r.ImportPath == l.ForTest })
	})
}

// findGo makes the toolchain's own go command the one that this process finds, as
// go/packages looks for it there and not in its configuration. It may be another than
// the user's go command, which takes toolchains from the module cache. The function
// that it returns undoes this.
func findGo(tc *toolchain.Toolchain) (undo func()) {
	path := os.Getenv("PATH")
	os.Setenv("PATH", filepath.Dir(tc.Go)+string(filepath.ListSeparator)+path)
	return func() { os.Setenv("PATH", path) }
}

// keep writes an edited file under a name that its content determines.
func (e *edits) keep(text []byte) (file, sum string, err error) {
	h := sha256.Sum256(text)
	sum = hex.EncodeToString(h[:20])
	file = filepath.Join(e.dir, sum[:2], sum+".go")
	if _, err := os.Stat(file); err == nil {
		return file, sum, nil
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		return "", "", err
	}
	tmp, err := os.CreateTemp(filepath.Dir(file), "tmp-*")
	if err != nil {
		return "", "", err
	}
	_, err = tmp.Write(text)
	if cerr := tmp.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = os.Rename(tmp.Name(), file)
	}
	if err != nil {
		os.Remove(tmp.Name())
	}
	return file, sum, err
}

// in returns the edited packages in the test binary of root, which consists of deps.
// Only root's own external tests are among them.
func (e *edits) in(root *listed, deps []*listed) []*editedPackage {
	var out []*editedPackage
	add := func(path string) {
		if p := e.packages[path]; p != nil && len(p.files) > 0 {
			out = append(out, p)
		}
	}
	for _, d := range deps {
		add(d.path())
	}
	add(root.path() + "_test")
	return out
}

// overlay writes the -overlay file for a binary of deps and completes m. Each
// instrumented package gets an additional file by which it registers itself, so that
// the binary can prove that nothing was lost.
//
// A program also gets a file that imports the conductor, which the testing package
// does for tests.
func (e *edits) overlay(tmp string, l *listed, deps []*listed, program bool, m *meta) (string, error) {
	replace := make(map[string]string)
	if program {
		file, _, err := e.keep(fmt.Appendf(nil, "package main\n\nimport _ %q\n", conductorImport))
		if err != nil {
			return "", err
		}
		replace[filepath.Join(l.Dir, "zz_coop_main.go")] = file
	}
	m.Instrumented, m.Sites = 0, 0
	var registered []string
	for _, p := range e.in(l, deps) {
		m.Instrumented++
		m.Sites += len(p.sites)
		for from, to := range p.files {
			replace[from] = to
		}
		name := "zz_coop_register.go"
		if p.external {
			name = "zz_coop_register_x_test.go"
		} else if p.testsOnly {
			name = "zz_coop_register_test.go"
		}
		id := p.dir + " " + p.name + " " + p.sum
		registered = append(registered, id)
		file, _, err := e.keep(fmt.Appendf(nil, "package %s\n\nimport coop_probe %q\n\nvar _ = coop_probe.Register(%q)\n", p.name, probeImport, id))
		if err != nil {
			return "", err
		}
		replace[filepath.Join(p.dir, name)] = file
	}
	m.Build = sched.BuildID(registered)
	text, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	file := filepath.Join(tmp, "overlay.json")
	return file, os.WriteFile(file, text, 0o666)
}

var failedPackage = regexp.MustCompile(`(?m)^# (\S+)`)

// drop removes the packages that a failed build complains of, and returns their paths.
func (e *edits) drop(output string) []string {
	var dropped []string
	for _, match := range failedPackage.FindAllStringSubmatch(output, -1) {
		for _, path := range []string{match[1], match[1] + "_test"} {
			if e.packages[path] != nil {
				delete(e.packages, path)
				dropped = append(dropped, match[1])
			}
		}
	}
	return slices.Compact(dropped)
}
