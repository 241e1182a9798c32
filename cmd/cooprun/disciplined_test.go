package main

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/coopvet/coop/runner"
	"github.com/coopvet/coop/runner/report"
)

// TestDisciplined prints how many scheduling points at memory accesses the
// classification leaves of correct programs, per schedule, and wants it to be a tenth at
// most. Points that are there with -classify=none as well are no memory accesses: to that,
// the program without instrumentation, the time of a schedule is compared, and may be twice
// as much.
func TestDisciplined(t *testing.T) {
	if testing.Short() {
		t.Skip("builds test binaries")
	}
	programs := disciplined(t)
	t.Logf("%-12s %10s %10s %8s %14s %14s", "program", "all", "static", "left", "time of all", "time of none")
	for _, name := range slices.Sorted(maps.Keys(programs)) {
		m := programs[name].measure(t)
		none := m[classifyNone].perTrial
		all, left := m[classifyAll].perTrial-none, m[classifyStatic].perTrial-none
		faster, slower := m[classifyStatic].seconds/m[classifyAll].seconds, m[classifyStatic].seconds/m[classifyNone].seconds
		t.Logf("%-12s %10.0f %10.0f %7.1f%% %13.2fx %13.2fx", name, all, left, 100*left/all, faster, slower)
		if left > all/10 {
			t.Errorf("%s: %.0f of %.0f scheduling points at memory accesses are left", name, left, all)
		}
		if all < 10 {
			t.Errorf("%s accesses next to no memory", name)
		}
		if slower > 2 {
			t.Errorf("%s: a schedule takes %.2f times as long as without instrumentation", name, slower)
		}
	}
}

// disciplinedProgram is a program of testdata/disciplined, built with each classification.
type disciplinedProgram struct {
	targets map[string]*runner.Target
	opts    runner.Options
}

func disciplined(t *testing.T) map[string]*disciplinedProgram {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("../../testdata/disciplined")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module disciplined\n\ngo 1.25\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	programs := make(map[string]*disciplinedProgram)
	for _, choice := range classChoices {
		targets, opts := buildTargets(t, dir, "-classify="+choice, "./...")
		for _, target := range targets {
			name := filepath.Base(target.Dir)
			if programs[name] == nil {
				programs[name] = &disciplinedProgram{make(map[string]*runner.Target), *opts}
			}
			programs[name].targets[choice] = target
		}
	}
	return programs
}

// stepCounter adds up the steps per schedule of a package's tests, and the time.
type stepCounter struct{ perTrial, seconds float64 }

func (n *stepCounter) Handle(e report.Event) {
	if r, ok := e.(report.TestResult); ok && r.Trials > 0 {
		n.perTrial += float64(r.Steps) / float64(r.Trials)
		n.seconds += r.Seconds
	}
}

// disciplinedRounds is how often times are measured, at least, and at most if they are too
// long: others use the machine, too, and the shortest time is the least wrong.
const disciplinedRounds, disciplinedMore = 3, 30

// measure explores the program with each classification.
func (p *disciplinedProgram) measure(t *testing.T) map[string]stepCounter {
	t.Helper()
	best := make(map[string]stepCounter)
	for round := 0; round < disciplinedRounds || round < disciplinedMore && best[classifyStatic].seconds > 1.9*best[classifyNone].seconds; round++ {
		for _, choice := range classChoices {
			opts := p.opts
			opts.Trials, opts.Workers, opts.SaveDir = 200, 1, t.TempDir()
			n := &stepCounter{}
			stats, err := runner.Explore(t.Context(), p.targets[choice], &opts, n)
			if err != nil || stats.Findings > 0 {
				t.Fatalf("%s: %d findings, error %v", p.targets[choice].Package, stats.Findings, err)
			}
			if round > 0 {
				n.seconds = min(n.seconds, best[choice].seconds)
			}
			best[choice] = *n
		}
	}
	return best
}
