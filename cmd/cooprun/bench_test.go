package main

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/coopvet/coop/runner/report"
	"github.com/coopvet/coop/runner/strategy"
)

// The benchmarks compare controlled runs of the tests in testdata/bench with the native
// runtime, measured in the same run:
//
//	go test -run '^$' -bench . ./cmd/cooprun
//
// Goals: 150,000 trials of a lost update a second; a first build at most twice as long as
// that of go test -race; exploring begins within a second after a build. What a step
// costs, TestCosts says.

const benchPackage = "../../testdata/bench"

// results keeps the test results of a run.
type results map[string]report.TestResult

func (r results) Handle(e report.Event) {
	if e, ok := e.(report.TestResult); ok {
		r[e.Test] = e
	}
}

// benchRun explores testdata/bench in one worker and returns the result of a test.
func benchRun(tb testing.TB, test string, flags ...string) report.TestResult {
	tb.Helper()
	args := append([]string{"-p=1", "-seed=1", "-o=" + tb.TempDir(), "-run=^" + test + "$"}, flags...)
	c, err := parseFlags(append(args, benchPackage), os.Environ(), io.Discard)
	if err != nil {
		tb.Fatal(err)
	}
	r := results{}
	if err := explore(context.Background(), c, r); err != nil && !errors.Is(err, errFinding) {
		tb.Fatal(err)
	}
	result, ok := r[test]
	if !ok {
		tb.Fatalf("%s was not run", test)
	}
	return result
}

// perTrial returns the processor time of a trial, without that of building and of
// starting the worker.
func perTrial(tb testing.TB, test string, trials int, flags ...string) time.Duration {
	tb.Helper()
	measure := func(n int) time.Duration {
		before := cpuTime(tb, syscall.RUSAGE_CHILDREN)
		r := benchRun(tb, test, append(flags, "-trials="+strconv.Itoa(n))...)
		if r.Status != report.Pass || r.Trials != n {
			tb.Fatalf("%s: %s after %d trials of %d", test, r.Status, r.Trials, n)
		}
		return cpuTime(tb, syscall.RUSAGE_CHILDREN) - before
	}
	benchRun(tb, test, "-trials=1") // builds what is not in the caches
	few, many := measure(trials), measure(5*trials)
	return (many - few) / time.Duration(4*trials)
}

// cpuTime returns the processor time that this process or its children have used, which
// depends less on what else the machine does than real time.
func cpuTime(tb testing.TB, who int) time.Duration {
	tb.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(who, &u); err != nil {
		tb.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// gosched returns the processor time of a runtime.Gosched between n goroutines on one
// processor.
func gosched(tb testing.TB, n int) time.Duration {
	tb.Helper()
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	const steps = 1 << 22
	began := cpuTime(tb, syscall.RUSAGE_SELF)
	var wg sync.WaitGroup
	for range n {
		wg.Go(func() {
			for range steps / n {
				runtime.Gosched()
			}
		})
	}
	wg.Wait()
	return (cpuTime(tb, syscall.RUSAGE_SELF) - began) / steps
}

// controlled lists the strategies that sample schedules under control.
func controlled() []string {
	return slices.DeleteFunc(strategy.Names(), func(s string) bool { return strategy.Native(s) || s == "dfs" })
}

// reportMetric reports a metric instead of the time of a round.
func reportMetric(b *testing.B, value float64, unit string) {
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(value, unit)
}

func BenchmarkTrial(b *testing.B) {
	for _, v := range []struct{ name, test, race string }{
		{"plain", "TestLostUpdate", "-race=false"},
		{"atomic", "TestLostUpdateAtomic", "-race=true"},
	} {
		b.Run(v.name, func(b *testing.B) {
			var trial time.Duration
			for b.Loop() {
				trial += perTrial(b, v.test, 100_000, v.race)
			}
			reportMetric(b, float64(b.N)/trial.Seconds(), "trials/s")
		})
	}
}

// BenchmarkSearch is how many small executions, two goroutines with nine steps each, dfs
// explores in a second of processor time.
func BenchmarkSearch(b *testing.B) {
	const few, many = 924, 48_620
	search := func(test string, executions int) time.Duration {
		before := cpuTime(b, syscall.RUSAGE_CHILDREN)
		r := benchRun(b, test, "-strategy=dfs", "-trials=100000")
		if r.Search == nil || !r.Search.Complete || r.Search.Explored != executions {
			b.Fatalf("%s: %+v, want all of %d", test, r.Search, executions)
		}
		return cpuTime(b, syscall.RUSAGE_CHILDREN) - before
	}
	search("TestIncrements6", few) // builds what is not in the caches
	var spent time.Duration
	for b.Loop() {
		spent += search("TestIncrements9", many) - search("TestIncrements6", few)
	}
	reportMetric(b, float64(b.N)*(many-few)/spent.Seconds(), "executions/s")
}

// BenchmarkFirstBuild compares the whole command with go test -race, both with empty
// caches, as on a new machine.
func BenchmarkFirstBuild(b *testing.B) {
	var ours, race time.Duration
	for b.Loop() {
		ours += coldRun(b, "-trials=1", benchPackage)
		race += coldRace(b)
	}
	reportMetric(b, ours.Seconds()/float64(b.N), "s/cooprun")
	reportMetric(b, race.Seconds()/float64(b.N), "s/race")
	reportMetric(b, float64(ours)/float64(race), "ratio")
}

// coldRun returns the time of cooprun with empty caches.
func coldRun(b *testing.B, args ...string) time.Duration {
	b.Helper()
	b.Setenv("GOCACHE", b.TempDir()) // not only for the command, but for all go commands
	b.Setenv("COOPCACHE", b.TempDir())
	began := time.Now()
	args = append([]string{"-run=TestLostUpdateAtomic", "-o=" + b.TempDir()}, args...)
	if err := Run(b.Context(), args, os.Environ(), io.Discard, io.Discard); err != nil {
		b.Fatal(err)
	}
	return time.Since(began)
}

// coldRace returns the time of go test -race with an empty cache.
func coldRace(b *testing.B) time.Duration {
	b.Helper()
	cmd := exec.Command("go", "test", "-race", "-run=TestLostUpdateAtomic", benchPackage)
	cmd.Env = append(os.Environ(), "GOCACHE="+b.TempDir())
	began := time.Now()
	if out, err := cmd.CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	return time.Since(began)
}

// BenchmarkStart is the time of a run of an unchanged package with a single trial.
func BenchmarkStart(b *testing.B) {
	benchRun(b, "TestLostUpdateAtomic", "-trials=1")
	for b.Loop() {
		benchRun(b, "TestLostUpdateAtomic", "-trials=1")
	}
	reportMetric(b, b.Elapsed().Seconds()/float64(b.N), "s/run")
}

// TestStepsDoNotAllocate checks that a test sees no allocation in its steps but its own.
func TestStepsDoNotAllocate(t *testing.T) {
	if testing.Short() {
		t.Skip("builds test binaries")
	}
	for _, strategy := range controlled() {
		for test, want := range map[string]string{"TestNoAllocation": report.Pass, "TestAllocation": report.Fail} {
			if r := benchRun(t, test, "-trials=20", "-strategy="+strategy); r.Status != want {
				t.Errorf("%s with %s: %s, want %s", test, strategy, r.Status, want)
			}
		}
	}
	if r := benchRun(t, "TestNoAllocation", "-trials=20", "-stats"); r.Status != report.Pass {
		t.Errorf("with -stats: %s", r.Status)
	}
}
