package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/coopvet/coop/instrument/toolchain"
)

// listed is what go list says of a package.
type listed struct {
	ImportPath   string
	Dir          string
	Name         string
	ForTest      string
	Standard     bool
	DepOnly      bool
	Module       *module
	GoFiles      []string
	CgoFiles     []string
	CFiles       []string
	CXXFiles     []string
	HFiles       []string
	SFiles       []string
	SysoFiles    []string
	EmbedFiles   []string
	TestGoFiles  []string
	XTestGoFiles []string
	TestEmbedFiles,
	XTestEmbedFiles []string
	Imports    []string
	Deps       []string
	Incomplete bool
	Error      *struct{ Err string }
}

type module struct {
	Path, Version, Dir, GoMod string
	Main                      bool
	Replace                   *module
}

const listFields = "ImportPath,Dir,Name,ForTest,Standard,DepOnly,Module,GoFiles,CgoFiles,CFiles,CXXFiles,HFiles,SFiles,SysoFiles," +
	"EmbedFiles,TestGoFiles,XTestGoFiles,TestEmbedFiles,XTestEmbedFiles,Imports,Deps,Incomplete,Error"

// program is the packages to explore and all that they are made of.
type program struct {
	packages  map[string]*listed // by import path, test variants included
	roots     []*listed          // that the command line names
	selected  map[string]bool    // import paths whose memory accesses are observed
	named     bool               // the command line names one package, no pattern
	copies    *moduleCopies      // of dependencies that -instrument selects
	modCache  string             // GOMODCACHE
	linkFlags bool               // GOFLAGS has flags for the linker
}

// list runs go list on the patterns.
func list(ctx context.Context, c *config, tc *toolchain.Toolchain) (*program, error) {
	p := &program{packages: make(map[string]*listed), selected: make(map[string]bool)}
	if err := p.checkGoFlags(ctx, c, tc); err != nil {
		return nil, err
	}
	patterns := c.patterns
	if len(patterns) == 0 {
		patterns = []string{"."}
	}
	all, err := goList(ctx, c, tc, nil, append([]string{"-deps", "-test", "--"}, patterns...))
	if err != nil {
		return nil, err
	}
	for _, l := range all {
		p.packages[l.ImportPath] = l
		if !l.DepOnly && l.ForTest == "" && !strings.HasSuffix(l.ImportPath, ".test") {
			p.roots = append(p.roots, l)
		}
		if l.local() {
			if dir, err := filepath.Rel(p.modCache, l.Dir); err == nil && filepath.IsLocal(dir) {
				return nil, usageError("%s is in the module cache, where the go command lets nobody replace files: copy its module to a directory of your own, make it writable and run cooprun there", l.ImportPath)
			}
			p.selected[l.path()] = true
		}
	}
	if len(p.roots) == 0 {
		return nil, usageError("no packages match %s", strings.Join(patterns, " "))
	}
	p.named = len(p.roots) == 1 && !strings.Contains(strings.Join(patterns, " "), "...")
	if len(c.instrument) > 0 {
		if err := p.selectDependencies(ctx, c, tc); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// selectDependencies adds the packages that -instrument names to the selection.
func (p *program) selectDependencies(ctx context.Context, c *config, tc *toolchain.Toolchain) error {
	extra, err := goList(ctx, c, tc, nil, append([]string{"--"}, c.instrument...))
	if err != nil {
		return err
	}
	var cached []*listed
	for _, l := range extra {
		switch {
		case l.Error != nil:
			return usageError("-instrument: %s", l.Error.Err)
		case l.Standard:
			return usageError("-instrument: %s is in the standard library, whose memory accesses cannot be observed", l.ImportPath)
		case p.packages[l.ImportPath] == nil:
			continue // not part of the program
		}
		p.selected[l.ImportPath] = true
		if l.inModuleCache() {
			cached = append(cached, l)
		}
	}
	if len(cached) == 0 {
		return nil
	}
	// An overlay may not replace files in the module cache, so the modules are copied.
	p.copies, err = copyModules(ctx, c, tc, cached)
	if err != nil {
		return err
	}
	patterns := c.patterns
	if len(patterns) == 0 {
		patterns = []string{"."}
	}
	all, err := goList(ctx, c, tc, p.copies, append([]string{"-deps", "-test", "--"}, patterns...))
	if err != nil {
		return err
	}
	roots := p.roots
	p.roots = nil
	for _, l := range all {
		p.packages[l.ImportPath] = l
		if slices.ContainsFunc(roots, func(r *listed) bool { return r.ImportPath == l.ImportPath }) {
			p.roots = append(p.roots, l)
		}
	}
	return nil
}

// goList runs go list -e -json with args; copies may be nil.
func goList(ctx context.Context, c *config, tc *toolchain.Toolchain, copies *moduleCopies, args []string) ([]*listed, error) {
	cmd := goCommand(ctx, c, tc, copies, "list", slices.Concat([]string{"-e", "-json=" + listFields}, c.buildFlags(), args)...)
	out, err := cmd.Output()
	if ctx.Err() != nil {
		return nil, usageError("interrupted")
	}
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return nil, usageError("go list: %s", bytes.TrimSpace(exit.Stderr))
	} else if err != nil {
		return nil, usageError("go list: %w", err)
	}
	var all []*listed
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		l := new(listed)
		if err := dec.Decode(l); err == io.EOF {
			return all, nil
		} else if err != nil {
			return nil, err
		}
		all = append(all, l)
	}
}

// goCommand returns a command of the patched toolchain; copies may be nil.
func goCommand(ctx context.Context, c *config, tc *toolchain.Toolchain, copies *moduleCopies, name string, args ...string) *exec.Cmd {
	if copies != nil {
		args = slices.Concat(copies.flags, args)
	}
	cmd := exec.CommandContext(ctx, tc.Go, append([]string{name}, args...)...)
	cmd.Dir = c.dir
	cmd.Env = goEnv(c, tc, copies)
	return cmd
}

// goEnv returns the environment of such commands.
func goEnv(c *config, tc *toolchain.Toolchain, copies *moduleCopies) []string {
	env := append(slices.Clone(tc.Env), "PWD="+c.dir)
	if copies != nil {
		env = append(env, copies.env...)
	}
	return env
}

func (c *config) buildFlags() []string {
	if c.tags == "" {
		return nil
	}
	return []string{"-tags=" + c.tags}
}

// checkGoFlags refuses settings under which the instrumentation would be lost or meet
// another one, and notes the others that matter.
func (p *program) checkGoFlags(ctx context.Context, c *config, tc *toolchain.Toolchain) error {
	out, err := goCommand(ctx, c, tc, nil, "env", "-json", "GOFLAGS", "GOMODCACHE").Output()
	if err != nil {
		return usageError("go env: %w", err)
	}
	var env struct{ GOFLAGS, GOMODCACHE string }
	if err := json.Unmarshal(out, &env); err != nil {
		return err
	}
	p.modCache = env.GOMODCACHE
	for _, f := range strings.Fields(env.GOFLAGS) {
		name, value, _ := strings.Cut(strings.TrimLeft(f, "-"), "=")
		switch name {
		case "cover", "covermode", "coverpkg", "race", "msan", "asan", "overlay":
			if value != "false" {
				return usageError("GOFLAGS contains %s, which is not supported: it builds other code than cooprun does", f)
			}
		case "ldflags":
			p.linkFlags = true
		}
	}
	return nil
}

// path returns the import path without the name of the test variant.
func (l *listed) path() string {
	path, _, _ := strings.Cut(l.ImportPath, " ")
	return path
}

// local reports whether the package is the user's own: in a main module, in one that
// is replaced by a directory, or in none.
func (l *listed) local() bool {
	if l.Standard || strings.HasSuffix(l.path(), ".test") {
		return false
	}
	m := l.Module
	return m == nil && l.ForTest == "" || m != nil && (m.Main || m.Replace != nil && m.Replace.Version == "")
}

// inModuleCache reports whether the package's files must not be replaced.
func (l *listed) inModuleCache() bool {
	m := l.Module
	return m != nil && !m.Main && m.Dir != "" && (m.Replace == nil || m.Replace.Version != "")
}

// files returns all source files that the package and its tests are built from.
func (l *listed) files() []string {
	return slices.Concat(l.GoFiles, l.CgoFiles, l.CFiles, l.CXXFiles, l.HFiles, l.SFiles, l.SysoFiles, l.EmbedFiles,
		l.TestGoFiles, l.XTestGoFiles, l.TestEmbedFiles, l.XTestEmbedFiles)
}

// hasTests reports whether the package has test files.
func (l *listed) hasTests() bool { return len(l.TestGoFiles)+len(l.XTestGoFiles) > 0 }

// testDeps returns the packages that l's test binary, or l's program, consists of,
// without the standard library, sorted by import path; variants count once.
func (p *program) testDeps(l *listed) []*listed {
	root := p.packages[l.ImportPath+".test"]
	if root == nil {
		root = l
	}
	seen := map[string]bool{l.path(): true}
	out := []*listed{l}
	for _, dep := range root.Deps {
		d := p.packages[dep]
		if d == nil || d.Standard || seen[d.path()] || strings.HasSuffix(d.path(), "_test") && d.ForTest != "" {
			continue
		}
		seen[d.path()] = true
		if plain := p.packages[d.path()]; plain != nil {
			d = plain
		}
		out = append(out, d)
	}
	slices.SortFunc(out, func(a, b *listed) int { return strings.Compare(a.path(), b.path()) })
	return out
}

// joinImport returns the directory of an import path below dir.
func joinImport(dir, path string) string { return filepath.Join(dir, filepath.FromSlash(path)) }
