package main

import (
	"os"
	"testing"

	"github.com/coopvet/coop/runner"
)

// newBuilder returns the builder of the packages that args name, in dir; "" stands for
// the working directory. change, if it is not nil, changes what the flags say.
func newBuilder(t *testing.T, dir string, change func(*config), args ...string) *builder {
	t.Helper()
	cfg, err := parseFlags(args, os.Environ(), t.Output())
	if err != nil {
		t.Fatal(err)
	}
	if dir != "" {
		cfg.dir, cfg.opts.WorkingDir = dir, dir
	}
	tc, err := prepare(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	if change != nil {
		change(cfg)
	}
	prog, err := list(t.Context(), cfg, tc)
	if err != nil {
		t.Fatal(err)
	}
	return &builder{config: cfg, tc: tc, prog: prog}
}

// targets builds the tests of all packages of b.
func (b *builder) targets(t *testing.T) (all []*runner.Target) {
	t.Helper()
	for built := range buildAll(t.Context(), b.config, b.tc, b.prog) {
		if built.target == nil {
			t.Fatalf("%s: %v", built.pkg.ImportPath, built.err)
		}
		all = append(all, built.target)
	}
	return all
}

// buildTargets builds the tests of packages, in dir.
func buildTargets(t *testing.T, dir string, args ...string) ([]*runner.Target, *runner.Options) {
	t.Helper()
	b := newBuilder(t, dir, nil, args...)
	return b.targets(t), &b.opts
}

// buildTarget builds the tests of one package.
func buildTarget(t *testing.T, dir string) (*runner.Target, *runner.Options) {
	t.Helper()
	targets, opts := buildTargets(t, "", "-seed=1", dir)
	return targets[len(targets)-1], opts
}
