package main

import (
	"context"
	"flag"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/coopvet/coop/runner"
	"github.com/coopvet/coop/runner/sched"
)

var (
	kernelSize       = flag.String("kernels", "short", "what TestKernels measures: short, or full for the table of all strategies")
	kernelStrategies = flag.String("kernels.strategies", "random,rapos,pos,pct,urw,surw,history,lockstep,portfolio,noise,none", "the strategies of the table")
)

// kernelRun measures trials to the bug.
type kernelRun struct {
	target     *runner.Target
	opts       *runner.Options
	strategies []string
	seeds      int
	limit      int // trials of a campaign
}

// TestKernels measures how many trials each strategy takes to the bug of each program of
// testdata/kernels, mean over 20 seeds, and compares the default strategy with the best:
//
//	go test ./cmd/cooprun -run TestKernels -kernels=full -v
//
// Campaigns that found nothing count as their limit of trials. The fixed programs must
// not fail.
func TestKernels(t *testing.T) {
	if testing.Short() {
		t.Skip("builds test binaries")
	}
	k := &kernelRun{strategies: []string{defaultStrategy, "random"}, seeds: 2, limit: 1000}
	fixedTrials := 100
	if *kernelSize == "full" {
		k.strategies, k.seeds, k.limit = strings.Split(*kernelStrategies, ","), 20, 2000
		fixedTrials = 2000
	}
	k.target, k.opts = buildTarget(t, "../../testdata/kernels")
	k.opts.Hang = 5 * time.Second
	tests := k.tests(t)
	t.Run("Fixed", func(t *testing.T) {
		for _, test := range tests {
			if strings.HasPrefix(test, "TestFixed") {
				k.fixed(t, test, fixedTrials)
			}
		}
	})
	t.Run("Buggy", func(t *testing.T) { k.table(t, tests) })
}

func (k *kernelRun) tests(t *testing.T) []string {
	s := runner.NewSession(k.target, k.opts)
	defer s.Close()
	info, err := s.Tests(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, i := range info {
		names = append(names, i.Name)
	}
	return names
}

// fixed wants no failure of a program without the bug.
func (k *kernelRun) fixed(t *testing.T, test string, trials int) {
	s := runner.NewSession(k.target, k.opts)
	defer s.Close()
	for _, strategy := range k.strategies {
		job := k.job(test, strategy, 1, trials)
		job.Race = true
		r, err := s.Do(t.Context(), job)
		switch {
		case err != nil:
			s.Close() // one process cannot be both under control and not
		case len(r.Failures) > 0:
			t.Errorf("%s, %s: trial %d: %s", test, strategy, r.Failures[0].Trial, r.Failures[0].Failure.Message)
		}
	}
}

func (k *kernelRun) job(test, strategy string, seed uint64, trials int) *sched.Job {
	return &sched.Job{Test: test, Strategy: strategy, Seed: seed, Count: trials, MaxSteps: 20_000, Clock: "idle", Leak: true}
}

// table prints the means and compares strategies by their geometric means.
func (k *kernelRun) table(t *testing.T, tests []string) {
	logs := make([]float64, len(k.strategies)) // sums of logarithms
	rows := 0
	line := func(name string, cell func(int) string) {
		var b strings.Builder
		fmt.Fprintf(&b, "%-18s", name)
		for i := range k.strategies {
			fmt.Fprintf(&b, " %10s", cell(i))
		}
		t.Log(b.String())
	}
	line("", func(i int) string { return k.strategies[i] })
	for _, test := range tests {
		if strings.HasPrefix(test, "TestFixed") {
			continue
		}
		found := false
		line(strings.TrimPrefix(test, "Test"), func(i int) string {
			mean, missed := k.mean(t, test, k.strategies[i])
			logs[i] += math.Log(mean)
			found = found || missed < k.seeds
			if missed > 0 {
				return fmt.Sprintf("%.0f(%d)", mean, missed)
			}
			return fmt.Sprintf("%.1f", mean)
		})
		if rows++; !found {
			t.Errorf("%s: nobody found the bug in %d trials", test, k.limit)
		}
	}
	line("geometric mean", func(i int) string { return fmt.Sprintf("%.2f", math.Exp(logs[i]/float64(rows))) })
	k.compare(t, logs, rows)
}

// compare wants the default strategy not to be much worse than the best one.
func (k *kernelRun) compare(t *testing.T, logs []float64, rows int) {
	if len(k.strategies) < 3 {
		return
	}
	best, ours := math.Inf(1), math.NaN()
	for i, s := range k.strategies {
		mean := math.Exp(logs[i] / float64(rows))
		if s == defaultStrategy {
			ours = mean
		} else {
			best = min(best, mean)
		}
	}
	t.Logf("%s takes %.2f times as many trials as the best single strategy", defaultStrategy, ours/best)
	if ours > 1.5*best {
		t.Errorf("that is more than 1.5 times")
	}
}

// mean returns the mean number of trials to the first failure and the number of seeds with which
// there was none.
func (k *kernelRun) mean(t *testing.T, test, strategy string) (mean float64, missed int) {
	s := runner.NewSession(k.target, k.opts)
	defer s.Close()
	sum := 0
	for seed := range uint64(k.seeds) {
		trials, found := k.trials(t, s, test, strategy, seed+1)
		if !found {
			missed++
		}
		sum += trials
	}
	return float64(sum) / float64(k.seeds), missed
}

// trials returns the number of trials up to the first failure, or the limit.
func (k *kernelRun) trials(t *testing.T, s *runner.Session, test, strategy string, seed uint64) (int, bool) {
	// Every campaign begins with the test's warm-up, as if it had a process of its own.
	if _, err := s.Do(t.Context(), k.job("TestFixedReorder5", strategy, seed, 0)); err != nil {
		t.Fatal(err)
	}
	return firstFailure(t, s, k.job(test, strategy, seed, k.limit))
}

// firstFailure returns the number of trials of job up to the first failure, or all.
func firstFailure(t *testing.T, s *runner.Session, job *sched.Job) (int, bool) {
	t.Helper()
	limit := job.First + job.Count
	for job.Count > 0 {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		r, err := s.Do(ctx, job)
		cancel()
		if err != nil {
			t.Fatalf("%s, %s: %v", job.Test, job.Strategy, err)
		}
		if len(r.Failures) > 0 {
			return r.Failures[0].Trial + 1, true
		}
		job.First += r.Trials
		job.Count -= r.Trials
	}
	return limit, false
}
