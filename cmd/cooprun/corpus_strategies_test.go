package main

import (
	"flag"
	"strings"
	"testing"

	"github.com/coopvet/coop/runner"
)

var corpusSeeds = flag.Int("corpus.seeds", 0, "campaigns, of each test and strategy, of which TestCorpusStrategies takes the mean")

// TestCorpusStrategies measures how many trials each strategy takes to the bug of each buggy
// program of the corpus, and compares the default strategy with the best:
//
//	go test ./cmd/cooprun -run TestCorpusStrategies -corpus.seeds=20 -v -timeout=0
//
// The strategies are those of -kernels.strategies that control the schedule.
func TestCorpusStrategies(t *testing.T) {
	if *corpusSeeds == 0 {
		t.Skip("no -corpus.seeds")
	}
	table := &trialTable{seeds: *corpusSeeds, limit: 1000, maxSteps: 100_000, race: true}
	for s := range strings.SplitSeq(*kernelStrategies, ",") {
		if s != "noise" && s != "none" {
			table.strategies = append(table.strategies, s)
		}
	}
	c := buildCorpus(t, thoroughnesses["medium"])
	table.head(t)
	for _, p := range c.buggy {
		for _, test := range targetTests(t, p.target, &c.opts) {
			table.row(t, p.name+"."+strings.TrimPrefix(test, "Test"), p.target, &c.opts, test)
		}
	}
	table.compare(t)
}

// targetTests lists the tests of a target.
func targetTests(t *testing.T, target *runner.Target, opts *runner.Options) []string {
	t.Helper()
	s := runner.NewSession(target, opts)
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
