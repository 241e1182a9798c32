package main

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/coopvet/coop/runner"
	"github.com/coopvet/coop/runner/sched"
	"github.com/coopvet/coop/runner/strategy"
)

// A trialTable is the mean number of trials to the bug, for each program and strategy.
// Campaigns that find nothing count as their limit of trials.
type trialTable struct {
	strategies []string
	seeds      int    // campaigns of each program and strategy
	limit      int    // trials of a campaign
	maxSteps   int    // of a trial
	race       bool   // a data race is a bug
	idle       string // another test of the same binary; "": each campaign has a process of its own

	logs []float64 // by strategy: sums of the logarithms of the means
	rows int
}

// nativeHang is how long a trial without control may take: there deadlocks are found so.
const nativeHang = time.Second

// withHang returns opts with a limit for hangs that suits a strategy. A trial under control is
// never waited for, so that the usual limit is for it.
func withHang(opts *runner.Options, name string) *runner.Options {
	o := *opts
	if strategy.Native(name) {
		o.Hang = nativeHang
	}
	return &o
}

func (k *trialTable) job(test, strategy string, seed uint64, trials int) *sched.Job {
	return &sched.Job{Test: test, Strategy: strategy, Seed: seed, Count: trials, MaxSteps: k.maxSteps, Clock: "idle", Leak: true, Race: k.race}
}

func (k *trialTable) head(t *testing.T) {
	k.logs, k.rows = make([]float64, len(k.strategies)), 0
	k.line(t, "", func(i int) string { return k.strategies[i] })
}

func (k *trialTable) line(t *testing.T, name string, cell func(int) string) {
	var b strings.Builder
	fmt.Fprintf(&b, "%-34s", name)
	for i := range k.strategies {
		fmt.Fprintf(&b, " %10s", cell(i))
	}
	t.Log(b.String())
}

// row measures a test and prints its line: means, with the number of campaigns that have found
// nothing in parentheses. Somebody must find something.
func (k *trialTable) row(t *testing.T, name string, target *runner.Target, opts *runner.Options, test string) {
	found := false
	k.line(t, name, func(i int) string {
		mean, missed := k.mean(t, target, withHang(opts, k.strategies[i]), test, k.strategies[i])
		k.logs[i] += math.Log(mean)
		found = found || missed < k.seeds
		if missed > 0 {
			return fmt.Sprintf("%.0f(%d)", mean, missed)
		}
		return fmt.Sprintf("%.1f", mean)
	})
	if k.rows++; !found {
		t.Errorf("%s: nobody found the bug in %d trials", name, k.limit)
	}
}

// compare prints the geometric means and wants the default strategy not to be much worse
// than the best one.
func (k *trialTable) compare(t *testing.T) {
	k.line(t, "geometric mean", func(i int) string { return fmt.Sprintf("%.2f", math.Exp(k.logs[i]/float64(k.rows))) })
	if len(k.strategies) < 3 {
		return
	}
	best, ours := math.Inf(1), math.NaN()
	for i, s := range k.strategies {
		mean := math.Exp(k.logs[i] / float64(k.rows))
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
func (k *trialTable) mean(t *testing.T, target *runner.Target, opts *runner.Options, test, strategy string) (mean float64, missed int) {
	s := runner.NewSession(target, opts)
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

// trials returns the number of trials up to the first failure, or the limit. Every campaign
// begins with the test's warm-up, as if it had a process of its own.
func (k *trialTable) trials(t *testing.T, s *runner.Session, test, strategy string, seed uint64) (int, bool) {
	if k.idle == "" {
		s.Close()
	} else if _, err := s.Do(t.Context(), k.job(k.idle, strategy, seed, 0)); err != nil {
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
