package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coopvet/coop/runner"
	"github.com/coopvet/coop/runner/report"
)

var (
	corpusSize     = flag.String("corpus", "short", "how much of the corpus to run, and how often: short, medium or full")
	corpusReleases = flag.String("releases", "", "Go releases, separated by commas, on which to run the doctor and the corpus")
)

// A thoroughness says how much TestCorpus does.
type thoroughness struct {
	all     bool   // all programs; otherwise one of each primitive
	only    string // the one <primitive>/<name>, buggy and clean
	clean   int    // trials of a clean program per strategy
	replays int    // of each failure
	seeds   int    // that are run twice
	trials  int    // of the deadlocking test whose memory is measured
	work    int    // of the analysis; 0: as much as otherwise

	exhaustive int // trials within which dfs explores a test completely, or not
}

var thoroughnesses = map[string]thoroughness{
	"short":  {all: false, clean: 200, replays: 3, seeds: 30, trials: 50_000, exhaustive: 500},
	"medium": {all: true, clean: 1000, replays: 3, seeds: 30, trials: 50_000, exhaustive: 2000},
	"full":   {all: true, clean: 10_000, replays: 100, seeds: 1000, trials: 1_000_000, exhaustive: 200_000},
}

const (
	corpusDir   = "../../testdata/corpus"
	buggyTrials = 10_000 // within which a bug must be found
)

// TestCorpus runs cooprun's pipeline on the programs of testdata/corpus, whose path
// says whether they have a bug.
func TestCorpus(t *testing.T) {
	if testing.Short() {
		t.Skip("builds test binaries")
	}
	how, ok := thoroughnesses[*corpusSize]
	if !ok {
		t.Fatalf("-corpus=%s is neither short, medium nor full", *corpusSize)
	}
	c := buildCorpus(t, how)
	t.Run("Buggy", c.testBuggy)
	t.Run("Clean", c.testClean)
	t.Run("Exhaustive", c.testExhaustive)
	t.Run("Replay", c.testReplay)
	t.Run("Determinism", c.testDeterminism)
	t.Run("Memory", c.testMemory)
}

// TestCorpusReleases runs the doctor and a part of the corpus on other Go releases, which
// the go command takes from the module cache or the module proxy.
func TestCorpusReleases(t *testing.T) {
	if *corpusReleases == "" {
		t.Skip("no -releases")
	}
	how := thoroughnesses[*corpusSize]
	for release := range strings.SplitSeq(*corpusReleases, ",") {
		t.Run(release, func(t *testing.T) {
			t.Setenv("GOTOOLCHAIN", release)
			var out strings.Builder
			if err := doctor(t.Context(), nil, os.Environ(), &out); err != nil {
				t.Fatalf("doctor: %v\n%s", err, &out)
			}
			if !strings.HasPrefix(out.String(), "ok    "+release+" in ") {
				t.Fatalf("the doctor examined another release:\n%s", &out)
			}
			c := buildCorpus(t, how)
			if c.release != release {
				t.Fatalf("built with %s", c.release)
			}
			t.Run("Buggy", c.testBuggy)
			t.Run("Clean", c.testClean)
		})
	}
}

// corpusRun is the programs of testdata/corpus, built.
type corpusRun struct {
	thoroughness
	release      string // of Go
	opts         runner.Options
	buggy, clean []*corpusProgram
}

// corpusProgram is one package of the corpus.
type corpusProgram struct {
	name   string   // <primitive>/<name>
	expect []string // of a buggy one, the kinds of failures it may be reported as
	target *runner.Target
}

// buildCorpus builds the programs, as a module of their own: cooprun needs a newer Go
// than they do.
func buildCorpus(t *testing.T, how thoroughness, flags ...string) *corpusRun {
	t.Helper()
	c := &corpusRun{thoroughness: how}
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(corpusDir)); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module corpus\n\ngo 1.25\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	patterns := append(corpusPatterns(t, dir, "buggy", how.all), corpusPatterns(t, dir, "clean", how.all)...)
	if how.only != "" {
		patterns = []string{filepath.Join(dir, "buggy", how.only), filepath.Join(dir, "clean", how.only)}
	}
	b := newBuilder(t, dir, func(cfg *config) {
		if how.work > 0 {
			cfg.work = how.work
		}
		cfg.cache = t.TempDir() // of binaries: they are of no use to others
	}, append(flags, patterns...)...)
	c.release, c.opts = b.tc.Version, b.opts
	c.opts.Workers = 1 // the programs run in parallel
	c.opts.Minimise = time.Second / 2
	began := time.Now()
	for _, target := range b.targets(t) {
		verdict, name := corpusName(target.Dir)
		p := &corpusProgram{name: name, target: target}
		if verdict == "clean" {
			c.clean = append(c.clean, p)
			continue
		}
		p.expect = corpusKinds(t, target.Dir)
		c.buggy = append(c.buggy, p)
	}
	t.Logf("%s: built %d programs in %.1fs", c.release, len(c.buggy)+len(c.clean), time.Since(began).Seconds())
	return c
}

// corpusPatterns returns the directories of the programs with the given verdict: all, or
// the first of each primitive.
func corpusPatterns(t *testing.T, dir, verdict string, all bool) []string {
	t.Helper()
	primitives, err := filepath.Glob(filepath.Join(dir, verdict, "*"))
	if err != nil || len(primitives) == 0 {
		t.Fatalf("no programs in %s/%s: %v", corpusDir, verdict, err)
	}
	var patterns []string
	for _, dir := range primitives {
		programs, err := filepath.Glob(filepath.Join(dir, "*"))
		if err != nil || len(programs) == 0 {
			t.Fatalf("no programs in %s: %v", dir, err)
		}
		if !all {
			programs = programs[:1]
		}
		patterns = append(patterns, programs...)
	}
	return patterns
}

// corpusName splits the directory of a program.
func corpusName(dir string) (verdict, name string) {
	parts := strings.Split(filepath.ToSlash(dir), "/")
	n := len(parts)
	return parts[n-3], parts[n-2] + "/" + parts[n-1]
}

var expectLine = regexp.MustCompile(`(?m)^// Expect: (\S+)$`)

// corpusKinds returns the kinds of failures that the program in dir says it has.
func corpusKinds(t *testing.T, dir string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if m := expectLine.FindSubmatch(text); m != nil {
			return strings.Split(string(m[1]), "|")
		}
	}
	t.Fatalf("%s: no line Expect", dir)
	return nil
}

// events keeps what is reported of one package.
type events struct {
	findings []report.Finding
	results  []report.TestResult
	notes    []report.Note

	violations []report.Violation
}

func (e *events) Handle(event report.Event) {
	switch event := event.(type) {
	case report.Finding:
		e.findings = append(e.findings, event)
	case report.TestResult:
		e.results = append(e.results, event)
	case report.Note:
		e.notes = append(e.notes, event)
	case report.Violation:
		e.violations = append(e.violations, event)
	}
}

// explore explores p and returns what was reported. Schedules are saved in dir.
func (c *corpusRun) explore(t *testing.T, p *corpusProgram, strategy string, trials int, dir string) *events {
	t.Helper()
	opts := c.opts
	opts.Strategy, opts.Trials, opts.SaveDir = strategy, trials, dir
	e := new(events)
	if _, err := runner.Explore(t.Context(), p.target, &opts, e); err != nil {
		t.Fatalf("%s: %v", p.name, err)
	}
	return e
}

// parallel runs f on each program, as parallel subtests, and returns when all are done.
func parallel(t *testing.T, programs []*corpusProgram, f func(*testing.T, *corpusProgram)) {
	t.Run("programs", func(t *testing.T) {
		for _, p := range programs {
			t.Run(p.name, func(t *testing.T) {
				t.Parallel()
				f(t, p)
			})
		}
	})
}

var corpusStrategies = []string{defaultStrategy, "random", "rapos"}

// testBuggy wants a failure of an expected kind of each buggy program, from one of the
// strategies, and none of another kind.
func (c *corpusRun) testBuggy(t *testing.T) {
	var mu sync.Mutex
	found := make(map[string]map[string]int) // by strategy and test: trials
	for _, strategy := range corpusStrategies {
		found[strategy] = make(map[string]int)
	}
	missed := make(map[string][]string) // by strategy: tests
	parallel(t, c.buggy, func(t *testing.T, p *corpusProgram) {
		any := false // finding
		for _, strategy := range corpusStrategies {
			e := c.explore(t, p, strategy, buggyTrials, t.TempDir())
			for _, f := range e.findings {
				if !slices.Contains(p.expect, f.Kind) {
					t.Errorf("%s: %s: reported as %s instead of %v: %s", strategy, f.Test, f.Kind, p.expect, f.Message)
				}
				if !f.Reproduced {
					t.Errorf("%s: %s: trial %d (%s) does not repeat: %s", strategy, f.Test, f.Trial, f.Kind, strings.Join(f.Notes, "; "))
				}
				any = true
			}
			mu.Lock()
			for _, r := range e.results {
				test := p.name + "." + r.Test
				if r.Status == report.Fail {
					found[strategy][test] = firstTrial(e.findings, r.Test) + 1
				} else {
					missed[strategy] = append(missed[strategy], fmt.Sprintf("%s (%s, %d executions)", test, r.Status, r.Distinct))
				}
			}
			mu.Unlock()
		}
		if !any {
			t.Errorf("none of %s found a bug in %d trials", strings.Join(corpusStrategies, ", "), buggyTrials)
		}
	})
	t.Logf("%d buggy programs", len(c.buggy))
	for _, strategy := range corpusStrategies {
		sum := 0
		for _, trials := range found[strategy] {
			sum += trials
		}
		slices.Sort(missed[strategy])
		t.Logf("%-9s found %d tests after %.1f trials on average, missed %d: %s", strategy,
			len(found[strategy]), float64(sum)/float64(max(1, len(found[strategy]))), len(missed[strategy]), strings.Join(missed[strategy], ", "))
	}
}

func firstTrial(findings []report.Finding, test string) int {
	for _, f := range findings {
		if f.Test == test {
			return f.Trial
		}
	}
	return 0
}

// testClean wants no failure of any clean program.
func (c *corpusRun) testClean(t *testing.T) {
	var mu sync.Mutex
	trials, distinct := 0, 0
	parallel(t, c.clean, func(t *testing.T, p *corpusProgram) {
		for _, strategy := range corpusStrategies {
			e := c.explore(t, p, strategy, c.thoroughness.clean, t.TempDir())
			for _, f := range e.findings {
				t.Errorf("%s: %s: false alarm in trial %d: %s: %s", strategy, f.Test, f.Trial, f.Kind, f.Message)
			}
			for _, n := range e.notes {
				t.Logf("%s: %s: %s", strategy, n.Test, n.Text)
			}
			mu.Lock()
			for _, r := range e.results {
				if r.Status != report.Fail && (r.Status != report.Pass || r.Trials < c.thoroughness.clean) {
					t.Errorf("%s: %s: %s after %d trials", strategy, r.Test, r.Status, r.Trials)
				}
				trials += r.Trials
				distinct += r.Distinct
			}
			mu.Unlock()
		}
	})
	t.Logf("%d clean programs pass in %d trials, %d different executions", len(c.clean), trials, distinct)
}
