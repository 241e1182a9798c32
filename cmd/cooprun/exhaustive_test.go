package main

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coopvet/coop/runner"
	"github.com/coopvet/coop/runner/report"
	"github.com/coopvet/coop/runner/sched"
)

const exhaustiveDir = "../../testdata/exhaustive"

// exhaustiveClasses is the number of classes of the programs in testdata/exhaustive, where the
// literature or a formula says it: 2^n for one writer and n readers, n! for n additions
// to one variable, 4^n for n readers and a writer in a bubble, twice, (n+3)·2^(n-2) for lastzero, 8 for 12 indexers, 2^n-2 (the acyclic
// orientations of a ring) for n philosophers with ordered forks. The other programs that
// pass are in bruteForce.
var exhaustiveClasses = map[string]int{
	"TestReaders1": 2, "TestReaders4": 16, "TestReaders10": 1024,
	"TestAdds2": 2, "TestAdds4": 24, "TestAdds6": 720,
	"TestLastZero2": 5, "TestLastZero5": 64, "TestLastZero10": 3328,
	"TestIndexer11": 1, "TestIndexer12": 8,
	"TestOrdered2": 2, "TestOrdered3": 6, "TestOrdered4": 14,
	"TestSelectReady": 3, "TestCounted": 2,
	"TestBubbled1": 4, "TestBubbled3": 64, "TestRest": 4, "TestSingle": 1,
}

// exhaustiveFailures are the failures of the programs that fail.
var exhaustiveFailures = map[string]string{"TestPhilosophers3": "deadlock", "TestNeedle": "fail", "TestSelectNeedle": "fail", "TestUnlucky": "fail", "TestTie": "fail", "TestUntied": "fail"}

// exhaustiveDoubts are those of which the search says what it may have missed.
var exhaustiveDoubts = map[string]string{"TestBeside": "a bubble's clock moved", "TestDrawn": "the test uses random numbers"}

// bruteForce lists programs whose classes are counted by trying all interleavings.
var bruteForce = []string{
	"TestReaders4", "TestAdds4", "TestLastZero2", "TestLostUpdate", "TestLostUpdate3", "TestStoreBuffering", "TestMessagePassing",
	"TestLocked3", "TestTryLock", "TestReadersWriter", "TestNested", "TestOrdered3", "TestIndependent", "TestMixed", "TestCounted",
}

// searchTime bounds the exploration of a test, beside the number of trials: programs that
// spin have trials of a second.
const searchTime = time.Minute

// searchAll explores a package exhaustively, within so many trials of each test.
func searchAll(t *testing.T, target *runner.Target, opts runner.Options, trials int) *events {
	t.Helper()
	opts.Strategy, opts.Search, opts.Trials, opts.Budget, opts.SaveDir = "dfs", true, trials, searchTime, t.TempDir()
	e := new(events)
	if _, err := runner.Explore(t.Context(), target, &opts, e); err != nil {
		t.Fatal(err)
	}
	return e
}

// TestExhaustive explores programs whose number of classes is known, on the conductor
// with real goroutines, and wants one execution for each class.
func TestExhaustive(t *testing.T) {
	if testing.Short() {
		t.Skip("builds test binaries")
	}
	target, opts := buildTarget(t, exhaustiveDir)
	e := searchAll(t, target, *opts, 1_000_000)
	count := map[string]int{}
	for _, r := range e.results {
		count[r.Test] = r.Search.Explored
		want, known := exhaustiveClasses[r.Test]
		doubt := exhaustiveDoubts[r.Test]
		switch kind := exhaustiveFailures[r.Test]; {
		case doubt != "":
			if r.Status != report.Pass || r.Search.Complete || len(r.Search.Unknown) != 1 || !strings.HasPrefix(r.Search.Unknown[0], doubt) {
				t.Errorf("%s: %s, %+v; want a doubt, %q", r.Test, r.Status, r.Search, doubt)
			}
		case kind != "":
			if r.Status != report.Fail || !slices.ContainsFunc(e.findings, func(f report.Finding) bool { return f.Test == r.Test && f.Kind == kind && f.Reproduced }) {
				t.Errorf("%s: %s, %+v; want a %s that repeats", r.Test, r.Status, r.Search, kind)
			}
		case r.Status != report.Pass || !r.Search.Complete || r.Search.Redundant > 0 || known && r.Search.Explored != want:
			t.Errorf("%s: %s, %+v; want all of %d", r.Test, r.Status, r.Search, want)
		}
		t.Logf("%-20s %v", r.Test, r.Search)
	}
	for test := range exhaustiveClasses {
		if count[test] == 0 {
			t.Errorf("%s was not run", test)
		}
	}
	s := runner.NewSession(target, opts)
	defer s.Close()
	for _, test := range bruteForce {
		classes, schedules := interleave(t, s, test)
		if len(classes) != count[test] {
			t.Errorf("%s: %d classes, but %d schedules are of %d", test, count[test], schedules, len(classes))
		}
		t.Logf("%-20s %d schedules of %d classes", test, schedules, len(classes))
	}
}

// interleave runs all schedules of a test and returns their classes.
func interleave(t *testing.T, s *runner.Session, test string) (classes map[string]bool, schedules int) {
	t.Helper()
	classes = map[string]bool{}
	for {
		r, err := s.Do(t.Context(), &sched.Job{
			Test: test, Strategy: "dfs:n=1000000", Search: true, Seed: 1, First: schedules, Count: 1, MaxSteps: 1000, Clock: "idle", Trace: true,
		})
		if err != nil || len(r.Failures) > 0 {
			t.Fatalf("%s: %v, %+v", test, err, r)
		}
		if r.Trials > 0 {
			schedules++
			classes[class(r.Last)] = true
		}
		if r.Search.Done {
			return classes, schedules
		}
		if schedules > 20_000 {
			t.Fatalf("%s has too many schedules", test)
		}
	}
}

// traced is a step and what happened until the next one.
type traced struct {
	name     string // task and number
	task     string
	children []string
	accesses []tracedAccess
}

type tracedAccess struct {
	addr uint64
	kind sched.Kind
}

// class names the partial order of an execution by definition: each step with the set
// of those that happen before it. It is independent of package strategy and knows only
// programs that never park: of locks, WaitGroups and memory of one size.
func class(rec *sched.TrialRecord) string {
	names := map[sched.TaskID]string{}
	for _, task := range rec.Tasks {
		names[task.ID] = task.Name
	}
	var steps []traced
	number := map[string]int{}
	for i := range rec.Steps {
		s := &rec.Steps[i]
		task := names[s.Task]
		kind, _ := sched.KindByName(s.Kind)
		if !s.Event {
			number[task]++
			steps = append(steps, traced{name: fmt.Sprint(task, "#", number[task], " ", s.Kind), task: task})
		}
		if len(steps) == 0 {
			continue
		}
		e := &steps[len(steps)-1]
		if kind == sched.Go {
			e.children = append(e.children, s.Object)
		} else if s.Addr != 0 {
			e.accesses = append(e.accesses, tracedAccess{s.Addr, kind})
		}
	}
	var lines []string
	before := make([]map[int]bool, len(steps))
	for i := range steps {
		before[i] = map[int]bool{}
		var list []string
		for k := range i {
			if steps[k].precedes(&steps[i]) {
				before[i][k] = true
				for l := range before[k] {
					before[i][l] = true
				}
			}
		}
		for k := range before[i] {
			list = append(list, steps[k].name)
		}
		slices.Sort(list)
		lines = append(lines, steps[i].name+": "+strings.Join(list, ", "))
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

// precedes reports whether a, which came first, must.
func (a *traced) precedes(b *traced) bool {
	if a.task == b.task || slices.ContainsFunc(a.children, func(c string) bool { return c == b.task || c == "goroutine "+b.task }) {
		return true
	}
	for _, p := range a.accesses {
		for _, q := range b.accesses {
			if p.addr == q.addr && sched.Conflict(p.kind, q.kind) {
				return true
			}
		}
	}
	return false
}

// TestExhaustivePreemptions: what a bound leaves out, and what it finds.
func TestExhaustivePreemptions(t *testing.T) {
	if testing.Short() {
		t.Skip("builds test binaries")
	}
	target, opts := buildTarget(t, exhaustiveDir)
	s := runner.NewSession(target, opts)
	defer s.Close()
	for _, tt := range []struct {
		test     string
		bound    int
		explored int // 0: it fails
	}{
		// Two goroutines of two steps: either first, and the other between its steps.
		{"TestLostUpdate", 0, 2}, {"TestLostUpdate", 1, 4}, {"TestLostUpdate", 2, 6}, {"TestLostUpdate", 3, 6},
		{"TestNeedle", 0, 6}, {"TestNeedle", 1, 0},
	} {
		r, err := s.Do(t.Context(), &sched.Job{
			Test: tt.test, Strategy: fmt.Sprintf("dfs:n=%d", tt.bound), Search: true, Seed: 1, Count: 1000, MaxSteps: 1000, Clock: "idle",
		})
		if err != nil {
			t.Fatal(err)
		}
		if fails := len(r.Failures) > 0; fails != (tt.explored == 0) || !fails && (!r.Search.Done || r.Search.Explored != tt.explored) {
			t.Errorf("%s with %d preemptions: %+v, failures %v", tt.test, tt.bound, r.Search, r.Failures)
		}
	}
}

// testExhaustive explores the programs completely that are small enough: of the buggy ones
// it finds the bug, of the clean ones it shows that there is none.
func (c *corpusRun) testExhaustive(t *testing.T) {
	var mu sync.Mutex
	var table []string
	complete, found := 0, 0
	explore := func(t *testing.T, p *corpusProgram, buggy bool) {
		e := searchAll(t, p.target, c.opts, c.thoroughness.exhaustive)
		for _, f := range e.findings {
			if !buggy || !slices.Contains(p.expect, f.Kind) {
				t.Errorf("%s: false alarm: %s: %s", f.Test, f.Kind, f.Message)
			}
		}
		all := true
		mu.Lock()
		defer mu.Unlock()
		for _, r := range e.results {
			what := r.Status
			if r.Status == report.Fail {
				what = fmt.Sprintf("found in execution %d", r.Trials)
			} else if r.Search != nil {
				what = r.Search.String()
			}
			all = all && r.Search != nil && r.Search.Complete
			table = append(table, fmt.Sprintf("%-5s %-24s %-24s %s", map[bool]string{true: "buggy", false: "clean"}[buggy], p.name, r.Test, what))
		}
		switch {
		case len(e.findings) > 0:
			found++
		case all:
			complete++
			if buggy {
				t.Errorf("%s: explored completely, and no bug found", p.name)
			}
		}
	}
	t.Run("Buggy", func(t *testing.T) {
		parallel(t, c.buggy, func(t *testing.T, p *corpusProgram) { explore(t, p, true) })
	})
	t.Run("Clean", func(t *testing.T) {
		parallel(t, c.clean, func(t *testing.T, p *corpusProgram) { explore(t, p, false) })
	})
	slices.Sort(table)
	t.Logf("of %d buggy and %d clean programs, within %d executions of each test: %d found, %d explored completely\n%s",
		len(c.buggy), len(c.clean), c.thoroughness.exhaustive, found, complete, strings.Join(table, "\n"))
}
