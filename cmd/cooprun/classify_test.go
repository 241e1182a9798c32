package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/coopvet/coop/runner"
)

// TestDisciplined prints how many scheduling points at memory accesses the
// classification leaves of correct programs, per schedule, and wants it to be a tenth at
// most. Points that are there with -classify=none as well are no memory accesses.
func TestDisciplined(t *testing.T) {
	if testing.Short() {
		t.Skip("builds test binaries")
	}
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("../../testdata/disciplined")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module disciplined\n\ngo 1.25\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	steps := make(map[string]map[string]float64)
	seconds := make(map[string]map[string]float64)
	for _, choice := range []string{classifyAll, classifyStatic, classifyNone} {
		cfg, err := parseFlags([]string{"-classify=" + choice, "./..."}, os.Environ(), t.Output())
		if err != nil {
			t.Fatal(err)
		}
		cfg.dir, cfg.opts.WorkingDir = dir, dir
		tc, err := prepare(t.Context(), cfg)
		if err != nil {
			t.Fatal(err)
		}
		prog, err := list(t.Context(), cfg, tc)
		if err != nil {
			t.Fatal(err)
		}
		steps[choice], seconds[choice] = make(map[string]float64), make(map[string]float64)
		for b := range buildAll(t.Context(), cfg, tc, prog) {
			if b.target == nil {
				t.Fatalf("%s: %v", b.pkg.ImportPath, b.err)
			}
			opts := cfg.opts
			opts.Trials, opts.SaveDir = 200, t.TempDir()
			n := &stepCounter{}
			stats, err := runner.Explore(t.Context(), b.target, &opts, n)
			if err != nil || stats.Findings > 0 {
				t.Fatalf("%s: %d findings, error %v", b.pkg.ImportPath, stats.Findings, err)
			}
			name := filepath.Base(b.pkg.Dir)
			steps[choice][name], seconds[choice][name] = n.perTrial, n.seconds
		}
	}
	t.Logf("%-12s %10s %10s %8s %12s", "program", "all", "static", "left", "trials/s")
	for name := range steps[classifyAll] {
		none := steps[classifyNone][name]
		all, left := steps[classifyAll][name]-none, steps[classifyStatic][name]-none
		t.Logf("%-12s %10.0f %10.0f %7.1f%% %11.1fx", name, all, left, 100*left/all, seconds[classifyAll][name]/seconds[classifyStatic][name])
		if left > all/10 {
			t.Errorf("%s: %.0f of %.0f scheduling points at memory accesses are left", name, left, all)
		}
		if all < 10 {
			t.Errorf("%s accesses next to no memory", name)
		}
	}
}

// What the classification says is asked for the whole program: a test in another
// package that breaks the rule makes the accesses visible.
func TestClassifyStaticallySeesAllPackages(t *testing.T) {
	if testing.Short() {
		t.Skip("builds test binaries")
	}
	sites := func(breaker string) int {
		dir := t.TempDir()
		for name, text := range map[string]string{
			"go.mod":             "module example.com/m\n\ngo 1.25\n",
			"counter/counter.go": "package counter\n\nimport \"sync\"\n\ntype C struct {\n\tmu sync.Mutex\n\tN int\n}\n\nfunc (c *C) Inc() {\n\tc.mu.Lock()\n\tc.N++\n\tc.mu.Unlock()\n}\n",
			"use/use_test.go":    "package use\n\nimport (\n\t\"testing\"\n\n\t\"example.com/m/counter\"\n)\n\nfunc TestUse(t *testing.T) {\n\tc := &counter.C{}\n\tdone := make(chan bool)\n\tgo func() {\n\t\tc.Inc()\n\t\tdone <- true\n\t}()\n\t" + breaker + "\n\t<-done\n}\n",
		} {
			file := filepath.Join(dir, name)
			if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		cfg, err := parseFlags([]string{"./use"}, os.Environ(), t.Output())
		if err != nil {
			t.Fatal(err)
		}
		cfg.dir = dir
		tc, err := prepare(t.Context(), cfg)
		if err != nil {
			t.Fatal(err)
		}
		prog, err := list(t.Context(), cfg, tc)
		if err != nil {
			t.Fatal(err)
		}
		e, err := instrumentAll(t.Context(), &builder{config: cfg, tc: tc, prog: prog})
		if err != nil || e.note != "" {
			t.Fatalf("error %v, note %q", err, e.note)
		}
		return len(e.packages["example.com/m/counter"].sites)
	}
	if n := sites("c.Inc()"); n != 0 {
		t.Errorf("%d probes in a program that obeys its lock, want none", n)
	}
	if n := sites("c.N++"); n == 0 {
		t.Error("no probes where a test accesses the counter without its lock")
	}
}
