package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/coopvet/coop/instrument/toolchain"
	"github.com/coopvet/coop/runner"
	"github.com/coopvet/coop/runner/report"
	"github.com/coopvet/coop/runner/sched"
)

// built is a package that is ready to be explored, or why it is not.
type built struct {
	pkg    *listed
	target *runner.Target
	event  *report.Build
	notes  []string
	skip   string // why there is nothing to run
	err    error  // *buildError or internal
}

// A buildError is what the compiler said of the user's source.
type buildError struct{ output string }

func (e *buildError) Error() string { return e.output }

// buildAll builds the packages while those before are explored, a few at once, since
// linking is not parallel. They come in their order.
func buildAll(ctx context.Context, c *config, tc *toolchain.Toolchain, prog *program) <-chan built {
	b := &builder{config: c, tc: tc, prog: prog}
	return b.buildAll(ctx)
}

func (b *builder) buildAll(ctx context.Context) <-chan built {
	pending := make(chan chan built, runtime.GOMAXPROCS(0)-1) // and the one that is waited for
	go func() {
		defer close(pending)
		for _, l := range b.prog.roots {
			one := make(chan built, 1)
			select {
			case pending <- one:
			case <-ctx.Done():
				return
			}
			go func() {
				r := b.build(ctx, l)
				r.pkg = l
				one <- r
			}()
		}
	}()
	out := make(chan built)
	go func() {
		defer close(out)
		for one := range pending {
			select {
			case out <- <-one:
			case <-ctx.Done():
				return
			}
		}
	}()
	return out
}

// builder builds test binaries. What it makes is kept in the cache, named by a hash of
// all that goes into it, so that an unchanged package is not built again.
type builder struct {
	*config
	tc       *toolchain.Toolchain
	prog     *program
	analysed *analysis         // nil: it is made when a package has to be built
	mu       sync.Mutex        // guards what follows
	tool     string            // hash of this program
	hashes   map[string]string // of packages' files, by import path
	edited   *edits            // of all selected packages, once one has to be built
}

// meta is what the cache knows of a binary besides its sites.
type meta struct {
	Build        string   // see sched.BuildID
	Instrumented int      // packages
	Sites        int      // accesses
	Notes        []string // for the user
}

func (m *meta) note(format string, args ...any) {
	if n := fmt.Sprintf(format, args...); !slices.Contains(m.Notes, n) {
		m.Notes = append(m.Notes, n)
	}
}

const (
	binaryFile = "target"
	metaFile   = "meta.json"
	sitesFile  = "sites.json"
	claimsFile = "claims" // of the static analysis, for an audit
)

func (b *builder) build(ctx context.Context, l *listed) (r built) {
	program := false
	switch {
	case l.Error != nil:
		text := strings.TrimSpace(l.Error.Err)
		return built{event: &report.Build{Package: l.ImportPath, Error: text}, err: &buildError{text}}
	case l.hasTests():
	case l.Name == "main" && b.prog.named:
		program = true
	default:
		return built{skip: "no test files"}
	}
	began := time.Now()
	deps := b.prog.testDeps(l)
	key, err := b.key(l, deps)
	if err != nil {
		return built{err: err}
	}
	dir := filepath.Join(b.cache, "bin", key[:2], key[2:])
	m, err := readMeta(dir)
	cached := err == nil
	if !cached {
		if m, err = b.make(ctx, l, deps, program, dir); err != nil {
			var be *buildError
			if errors.As(err, &be) {
				r.event = &report.Build{Package: l.ImportPath, Error: be.output}
			}
			r.err = err
			return r
		}
	}
	r.notes = m.Notes
	r.event = &report.Build{Package: l.ImportPath, Instrumented: m.Instrumented, Sites: m.Sites, Cached: cached, Seconds: time.Since(began).Seconds()}
	r.target = &runner.Target{
		Package: l.ImportPath, Dir: l.Dir, Binary: filepath.Join(dir, binaryFile), Build: m.Build,
		Go: b.tc.Version, Roots: []string{filepath.Join(b.tc.GOROOT, "src"), filepath.Join(b.cache, copiesDir), b.prog.modCache}, Args: b.args, Env: testEnv(b.env, b.tc), Main: program,
		Names: &siteNames{file: filepath.Join(dir, sitesFile)},
	}
	if program {
		r.target.Dir = b.dir // as go run does
	}
	if b.audit {
		r.target.Claims = filepath.Join(dir, claimsFile)
	}
	return r
}

// testEnv returns the environment in which tests run: as under go test, the go command is
// that of the installation.
func testEnv(env []string, tc *toolchain.Toolchain) []string {
	path := filepath.Dir(tc.Go)
	for _, kv := range env {
		if p, ok := strings.CutPrefix(kv, "PATH="); ok {
			path = filepath.Dir(tc.Go) + string(filepath.ListSeparator) + p
		}
	}
	return append(slices.Clone(env), "PATH="+path, sched.EnvGOROOT+"="+tc.Origin)
}

// readMeta returns the description of a binary in the cache.
func readMeta(dir string) (m meta, err error) {
	b, err := os.ReadFile(filepath.Join(dir, metaFile))
	if err != nil {
		return m, err
	}
	if err := json.Unmarshal(b, &m); err != nil {
		return m, err
	}
	now := time.Now()
	os.Chtimes(filepath.Join(dir, metaFile), now, now) // it was used
	return m, nil
}

// make builds the binary of l into the cache.
func (b *builder) make(ctx context.Context, l *listed, deps []*listed, program bool, dir string) (m meta, err error) {
	if err := os.MkdirAll(filepath.Dir(dir), 0o777); err != nil {
		return m, cacheError(b.cache, err)
	}
	pruneBinaries(filepath.Join(b.cache, "bin"))
	tmp, err := os.MkdirTemp(filepath.Dir(dir), "tmp-*")
	if err != nil {
		return m, cacheError(b.cache, err)
	}
	defer os.RemoveAll(tmp)
	if err := b.compile(ctx, l, deps, program, tmp, &m); err != nil {
		return m, err
	}
	text, err := json.Marshal(m)
	if err == nil {
		err = os.WriteFile(filepath.Join(tmp, metaFile), text, 0o666)
	}
	if err != nil {
		return m, cacheError(b.cache, err)
	}
	if err := os.Rename(tmp, dir); err != nil {
		// Another cooprun was faster.
		if _, merr := readMeta(dir); merr != nil {
			return m, cacheError(b.cache, err)
		}
	}
	return m, nil
}

// compile instruments the selected packages and builds the binary into tmp. When
// the build fails, it finds out whose fault it is: what fails without instrumentation,
// too, is the user's; a package that only fails with it is left without.
func (b *builder) compile(ctx context.Context, l *listed, deps []*listed, program bool, tmp string, m *meta) error {
	for {
		overlay, err := b.overlay(ctx, l, deps, program, tmp, m)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			if text := b.plain(ctx, l, program); text != "" {
				return &buildError{text}
			}
			return err
		}
		out := b.goBuild(ctx, l, program, filepath.Join(tmp, binaryFile), "-overlay="+overlay)
		if out == "" {
			return nil
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if full := diskFull(out); full != "" {
			return &buildError{"the disk is full: " + full + "; make room, or let COOPCACHE, GOCACHE or TMPDIR name a directory elsewhere"}
		}
		if text := b.plain(ctx, l, program); text != "" {
			return &buildError{text}
		}
		b.mu.Lock()
		dropped := b.edited.drop(out)
		b.mu.Unlock()
		if len(dropped) == 0 {
			return fmt.Errorf("the instrumented package does not build, though the original does; please report this:\n%s", out)
		}
		for _, path := range dropped {
			m.note("package %s is not instrumented, because its instrumented form does not compile; please report this: %s",
				path, strings.ReplaceAll(strings.TrimSpace(out), "\n", "; "))
		}
	}
}

// overlay writes the overlay of l's binary and the table of its sites, after editing
// the selected packages if that was not done. The edited files are the same for all
// binaries.
func (b *builder) overlay(ctx context.Context, l *listed, deps []*listed, program bool, tmp string, m *meta) (string, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.edited == nil {
		e, err := instrumentAll(ctx, b)
		if err != nil {
			return "", err
		}
		b.edited = e
	}
	if b.edited.note != "" {
		m.note("%s", b.edited.note)
	}
	for _, d := range deps {
		if why := b.edited.illTyped[d.path()]; why != "" {
			m.note("package %s is not instrumented, because it cannot be type-checked: %s", d.path(), why)
		}
	}
	err := b.edited.writeSites(filepath.Join(tmp, sitesFile), l, deps)
	if err == nil && b.audit {
		err = b.edited.writeClaims(filepath.Join(tmp, claimsFile), l, deps)
	}
	if err != nil {
		return "", cacheError(b.cache, err)
	}
	overlay, err := b.edited.overlay(tmp, l, deps, program, m)
	if err != nil {
		return "", cacheError(b.cache, err)
	}
	return overlay, nil
}

// goBuild runs the go command and returns its complaints, "" if there are none.
func (b *builder) goBuild(ctx context.Context, l *listed, program bool, output string, flags ...string) string {
	command, args := "test", []string{"-c", "-vet=off"}
	if program {
		command, args = "build", nil
	}
	if !b.prog.linkFlags { // debug information is a quarter of the linker's work
		args = append(args, "-ldflags=-w")
	}
	args = slices.Concat(args, b.buildFlags(), flags, []string{"-o", output, l.ImportPath})
	cmd := goCommand(ctx, b.config, b.tc, b.prog.copies, command, args...)
	out, err := cmd.CombinedOutput()
	if err == nil {
		return ""
	}
	if len(out) == 0 {
		return err.Error()
	}
	return string(out)
}

// plain builds without instrumentation and returns the compiler's complaints.
func (b *builder) plain(ctx context.Context, l *listed, program bool) string {
	return b.goBuild(ctx, l, program, os.DevNull)
}

// key returns the name of l's binary in the cache: a hash of the tools, the flags and
// the source.
func (b *builder) key(l *listed, deps []*listed) (string, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.tool == "" {
		exe, err := os.Executable()
		if err != nil {
			return "", err
		}
		if b.tool, err = hashFile(exe); err != nil {
			return "", err
		}
	}
	h := sha256.New()
	fmt.Fprintln(h, "cooprun 1", b.tool, b.tc.GOROOT, b.tc.Version, b.tags, b.classify, b.work, b.audit, l.ImportPath)
	for _, name := range []string{
		"GOFLAGS", "GOOS", "GOARCH", "GOAMD64", "GOARM64", "GOEXPERIMENT", "GODEBUG", "GOWORK",
		"CGO_ENABLED", "CC", "CXX", "CGO_CFLAGS", "CGO_CPPFLAGS", "CGO_CXXFLAGS", "CGO_LDFLAGS",
	} {
		fmt.Fprintln(h, name, lookup(b.env, name))
	}
	for _, d := range deps {
		sum, err := b.hashPackage(d, d == l)
		if err != nil {
			return "", err
		}
		fmt.Fprintln(h, d.path(), b.prog.selected[d.path()], d.Dir, sum)
	}
	return hex.EncodeToString(h.Sum(nil))[:40], nil
}

// hashPackage returns a hash of a package's files. Those in the module cache do not
// change, and their directory is named by their version.
func (b *builder) hashPackage(l *listed, tests bool) (string, error) {
	if l.inModuleCache() {
		return "", nil
	}
	if sum, ok := b.hashes[l.ImportPath]; ok {
		return sum, nil
	}
	h := sha256.New()
	files := l.files()
	if m := l.Module; m != nil && m.GoMod != "" { // language version, godebug
		files = append(files, m.GoMod)
	}
	for _, f := range files {
		name := f
		if !filepath.IsAbs(f) {
			f = filepath.Join(l.Dir, f)
		}
		sum, err := hashFile(f)
		if err != nil {
			return "", err
		}
		fmt.Fprintln(h, name, sum)
	}
	sum := hex.EncodeToString(h.Sum(nil))
	if b.hashes == nil {
		b.hashes = make(map[string]string)
	}
	b.hashes[l.ImportPath] = sum
	return sum, nil
}

func hashFile(name string) (string, error) {
	f, err := os.Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// diskFull returns the line of a go command's output that complains of a full disk; ""
// if none does.
func diskFull(output string) string {
	for line := range strings.Lines(output) {
		if strings.Contains(line, syscall.ENOSPC.Error()) || strings.Contains(line, syscall.EDQUOT.Error()) {
			return strings.TrimSpace(line)
		}
	}
	return ""
}

// cacheError explains that the cache cannot be written.
func cacheError(dir string, err error) error {
	return &buildError{fmt.Sprintf("cannot write to the cache directory %s: %v; COOPCACHE names another", dir, err)}
}
