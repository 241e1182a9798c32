package main

import (
	"flag"
	"strings"
	"testing"

	"github.com/coopvet/coop/runner"
)

var (
	kernelSize       = flag.String("kernels", "short", "what TestKernels measures: short, or full for the table of all strategies")
	kernelStrategies = flag.String("kernels.strategies", "random,rapos,pos,pct,urw,surw,history,lockstep,portfolio,noise,none", "the strategies of the table")
)

// kernelRun is a table of the kernels.
type kernelRun struct {
	target *runner.Target
	opts   *runner.Options
	trialTable
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
	k := &kernelRun{trialTable: trialTable{strategies: []string{defaultStrategy, "random"}, seeds: 2, limit: 1000, maxSteps: 20_000, idle: "TestFixedReorder5"}}
	fixedTrials := 100
	if *kernelSize == "full" {
		k.strategies, k.seeds, k.limit = strings.Split(*kernelStrategies, ","), 20, 2000
		fixedTrials = 2000
	}
	k.target, k.opts = buildTarget(t, "../../testdata/kernels")
	tests := targetTests(t, k.target, k.opts)
	t.Run("Fixed", func(t *testing.T) {
		for _, test := range tests {
			if strings.HasPrefix(test, "TestFixed") {
				k.fixed(t, test, fixedTrials)
			}
		}
	})
	t.Run("Buggy", func(t *testing.T) {
		k.head(t)
		for _, test := range tests {
			if !strings.HasPrefix(test, "TestFixed") {
				k.row(t, strings.TrimPrefix(test, "Test"), k.target, k.opts, test)
			}
		}
		k.compare(t)
	})
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
