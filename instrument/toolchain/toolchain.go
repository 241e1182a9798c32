// Package toolchain makes a patched copy of the user's own Go installation, with which
// cooprun builds the tests it controls.
//
// A goroutine can stop in one place, the Go runtime, so control is taken there and the
// user's source stays as it is. The patch is a table of small edits to the standard
// library (patches.go) and some new files (_goroot), which hand every scheduling decision
// to package conductor. That package and those it needs are linked into the target as
// standard packages coop/...: the runtime's hooks are only as private as they must be
// when caller and callee are built together.
//
// The stages: find the installation and its release; apply the edits in memory, so
// that a release they do not fit fails before anything is written; name the result by
// a hash of all that determines it; copy the tree to the cache under that name unless
// it is there. The original is only read. The go command and its tools are the
// original's, which are told by GOROOT to compile the copy.
//
// Builds share the user's build cache: its entries are named by hashes of contents, so a
// patched package and its original never meet, and the packages that the patch does not
// reach are compiled once.
package toolchain

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Config says what to patch and where to keep it.
type Config struct {
	Dir    string // the package's directory: its go.mod and GOTOOLCHAIN decide the Go release
	Cache  string // cooprun's cache directory, created if necessary
	Linked fs.FS  // the packages to link into the target, by directory: sched, conductor, ...
	Go     string // the go command; "" is "go"
}

// Toolchain is a patched Go installation, ready to be used.
type Toolchain struct {
	Go      string   // the go command, to be run with Env
	GOROOT  string   // the patched tree
	Origin  string   // GOROOT of the user's installation, symbolic links resolved
	Version string   // its release, e.g. go1.26.8
	Env     []string // environment for Go: the caller's, made to use GOROOT
	Checks  []Check  // the edits that were applied
}

// Prepare finds the Go installation that the package in cfg.Dir is built with and
// returns its patched copy, making it if the cache does not have it.
//
// Its errors are a *ReleaseError for a release that is not supported, a *FitError for
// one that the patch does not fit, a *CacheError if cfg.Cache cannot be written, the
// context's error, or that of the go command.
func Prepare(ctx context.Context, cfg Config) (*Toolchain, error) {
	added, err := fs.Sub(newFiles, "_goroot/src")
	if err != nil {
		return nil, err
	}
	return prepare(ctx, cfg, patches, added)
}

func prepare(ctx context.Context, cfg Config, edits []edit, added fs.FS) (*Toolchain, error) {
	if cfg.Go == "" {
		cfg.Go = "go"
	}
	o, err := findOrigin(ctx, cfg.Go, cfg.Dir)
	if err != nil {
		return nil, err
	}
	p, err := newPlan(o, edits, added, cfg.Linked)
	if err != nil {
		return nil, err
	}
	cache, err := filepath.Abs(filepath.Join(cfg.Cache, "goroot"))
	if err != nil {
		return nil, &CacheError{cfg.Cache, err}
	}
	root, err := p.tree(ctx, cache)
	if err != nil {
		return nil, treeError(ctx, err, o, cfg.Cache)
	}
	return &Toolchain{
		Go:      filepath.Join(o.goroot, "bin", "go"),
		GOROOT:  root,
		Origin:  o.goroot,
		Version: o.release,
		Env:     o.env(os.Environ(), root),
		Checks:  p.checks,
	}, nil
}

// env returns the environment base, changed to build with the patched tree root.
func (o origin) env(base []string, root string) []string {
	env := slices.DeleteFunc(slices.Clone(base), func(kv string) bool {
		name, _, _ := strings.Cut(kv, "=")
		return name == "GOROOT" || name == "GOTOOLCHAIN" || name == "GOEXPERIMENT"
	})
	env = append(env, "GOROOT="+root, "GOTOOLCHAIN=local")
	if o.experiment != "" {
		env = append(env, "GOEXPERIMENT="+o.experiment)
	}
	return env
}

// treeError says whose fault it is that the tree could not be made.
func treeError(ctx context.Context, err error, o origin, cache string) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	var pathErr *fs.PathError
	if errors.As(err, &pathErr) && strings.HasPrefix(pathErr.Path, o.goroot+string(filepath.Separator)) {
		return fmt.Errorf("toolchain: cannot read the Go installation: %w", err)
	}
	return &CacheError{cache, err}
}
