package main

import (
	"bufio"
	"flag"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/coopvet/coop/runner"
	"github.com/coopvet/coop/runner/sched"
)

var samplerTrials = flag.Int("samplers", 20_000, "trials per program and strategy of TestSamplers")

const samplerDir = "../../testdata/sampler"

// TestSamplers holds each strategy, on the conductor with real goroutines, against the
// exact probabilities of the programs in testdata/sampler.
func TestSamplers(t *testing.T) {
	if testing.Short() {
		t.Skip("builds test binaries")
	}
	target, opts := buildTarget(t, samplerDir)
	s := runner.NewSession(target, opts)
	defer s.Close()
	for _, p := range readSamplers(t) {
		hits, n := sample(t, s, p.program, p.strategy, *samplerTrials)
		if n != *samplerTrials {
			t.Errorf("%s, %s: %d of %d trials were counted", p.program, p.strategy, n, *samplerTrials)
		}
		if implausible(hits, n, p.probability) {
			t.Errorf("%s, %s: %d times in %d trials, want %.1f", p.program, p.strategy, hits, n, p.probability*float64(n))
		}
		t.Logf("%-15s %-12s %.5f, exactly %.5f", p.program, p.strategy, float64(hits)/float64(n), p.probability)
	}
}

type sampler struct {
	program, strategy string
	probability       float64
}

func readSamplers(t *testing.T) []sampler {
	f, err := os.Open(samplerDir + "/probabilities.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var table []sampler
	for lines := bufio.NewScanner(f); lines.Scan(); {
		line := strings.Fields(lines.Text())
		if len(line) != 3 || line[0] == "#" {
			continue
		}
		p, err := strconv.ParseFloat(line[2], 64)
		if err != nil {
			t.Fatal(err)
		}
		table = append(table, sampler{line[0], line[1], p})
	}
	if len(table) < 50 {
		t.Fatalf("%d probabilities only", len(table))
	}
	return table
}

// sample runs trials of a program and returns how often its event occurred. Every call
// has a seed of its own.
func sample(t *testing.T, s *runner.Session, program, strategy string, trials int) (events, counted int) {
	t.Helper()
	do := func(job *sched.Job) *sched.Result {
		job.MaxSteps, job.Clock = 1000, "idle"
		r, err := s.Do(t.Context(), job)
		if err != nil {
			t.Fatalf("%s, %s: %v", program, strategy, err)
		}
		return r
	}
	outcomes := &sched.Job{Test: "TestOutcomes", Strategy: "random", Count: 1, Cold: true}
	do(&sched.Job{Test: "Test" + program, Strategy: strategy, Seed: 1}) // the warm-up and the pilot
	do(outcomes)
	r := do(&sched.Job{Test: "Test" + program, Strategy: strategy, Seed: 1, Count: trials})
	if len(r.Failures) > 0 || r.Trials != trials || r.Recycle {
		t.Fatalf("%s, %s: %d trials of %d, failures %+v", program, strategy, r.Trials, trials, r.Failures)
	}
	r = do(outcomes)
	if len(r.Failures) != 1 {
		t.Fatalf("no outcomes: %+v", r)
	}
	if _, err := fmt.Sscanf(message(r.Failures[0].Failure), "events %d of %d", &events, &counted); err != nil {
		t.Fatalf("outcomes %q: %v", r.Failures[0].Failure.Message, err)
	}
	return events, counted
}

// message returns what a failed test said.
func message(f *sched.Failure) string {
	_, text, _ := strings.Cut(f.Message, ": ")
	return text
}

// implausible reports whether hits in n independent trials are too far from probability
// p: by the Chernoff bound, exp(-n·KL(hits/n, p)) for each side, that happens with
// probability at most 1e-6 if p is right.
func implausible(hits, n int, p float64) bool {
	q := float64(hits) / float64(n)
	kl := 0.0
	if q > 0 {
		kl += q * math.Log(q/p)
	}
	if q < 1 {
		kl += (1 - q) * math.Log((1-q)/(1-p))
	}
	return float64(n)*kl > math.Log(2/1e-6)
}

// TestBlocks: what a trial is does not depend on how the trials are divided among jobs
// and workers, with strategies that learn.
func TestBlocks(t *testing.T) {
	if testing.Short() {
		t.Skip("builds test binaries")
	}
	target, opts := buildTarget(t, samplerDir)
	hashes := func(strategy string, spans ...[2]int) map[int]uint64 {
		s := runner.NewSession(target, opts)
		defer s.Close()
		all := map[int]uint64{}
		for _, span := range spans {
			for trial := span[0]; trial < span[1]; trial++ {
				job := &sched.Job{Test: "TestTwoUpdates", Strategy: strategy, Seed: 1, First: trial, Count: 1, MaxSteps: 1000, Clock: "idle", Trace: true}
				r, err := s.Do(t.Context(), job)
				if err != nil || r.Last == nil || r.Last.Trial != trial || r.Trials != 1 {
					t.Fatalf("%s, trial %d: %+v, error %v", strategy, trial, r, err)
				}
				all[trial] = r.Last.Hash
			}
		}
		return all
	}
	for _, strategy := range []string{"pct", "surw", "history", "portfolio"} {
		want := hashes(strategy, [2]int{0, 100})
		for _, spans := range [][][2]int{{{50, 60}}, {{97, 100}, {20, 33}, {10, 12}}, {{40, 41}, {42, 44}, {41, 42}, {44, 46}}} {
			for trial, hash := range hashes(strategy, spans...) {
				if hash != want[trial] {
					t.Errorf("%s: trial %d of jobs %v is another execution", strategy, trial, spans)
				}
			}
		}
	}
}
