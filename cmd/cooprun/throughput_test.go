package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/coopvet/coop/runner"
	"github.com/coopvet/coop/runner/sched"
)

var (
	throughput         = flag.Duration("throughput", 0, "how long TestThroughput runs each test")
	throughputStrategy = flag.String("throughput.strategy", defaultStrategy, "the strategy of TestThroughput")
)

// TestThroughput measures how many schedules a second one worker, which uses one processor,
// runs of the tests of the corpus's corrected programs and of the fixed kernels:
//
//	go test ./cmd/cooprun -run=TestThroughput -throughput=300ms -v -timeout=0
//
// README.md publishes the median and the rate of the whole suite, in which all tests have the
// same number of schedules. The figures are of a machine that does nothing else.
func TestThroughput(t *testing.T) {
	if *throughput == 0 {
		t.Skip("no -throughput")
	}
	var rates []rate
	c := buildCorpus(t, thoroughnesses["medium"])
	for _, p := range c.clean {
		rates = append(rates, measureRates(t, p.name, p.target, &c.opts, func(string) bool { return true })...)
	}
	target, opts := buildTarget(t, "../../testdata/kernels")
	rates = append(rates, measureRates(t, "kernels", target, opts, func(test string) bool { return strings.HasPrefix(test, "TestFixed") })...)
	slices.SortFunc(rates, func(a, b rate) int { return int(a.perSecond - b.perSecond) })
	var seconds, steps float64
	for _, r := range rates {
		t.Logf("%-36s %9.0f schedules/s  %6.0f steps each", r.test, r.perSecond, r.steps)
		seconds += 1 / r.perSecond
		steps += r.steps
	}
	n := float64(len(rates))
	t.Logf("%s, one core: %d tests, median %.0f schedules/s, from %.0f to %.0f; the whole suite %.0f schedules/s of %.0f steps on average",
		*throughputStrategy, len(rates), rates[len(rates)/2].perSecond, rates[0].perSecond, rates[len(rates)-1].perSecond, n/seconds, steps/n)
}

// rate is what was measured of a test.
type rate struct {
	test             string
	perSecond, steps float64 // schedules, and steps of each
}

// measureRates measures the tests of target that are wanted.
func measureRates(t *testing.T, name string, target *runner.Target, opts *runner.Options, wanted func(test string) bool) []rate {
	t.Helper()
	s := runner.NewSession(target, opts)
	defer s.Close()
	tests, err := s.Tests(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var rates []rate
	for _, test := range tests {
		if wanted(test.Name) {
			rates = append(rates, measureRate(t, s, name+"."+test.Name, test.Name))
		}
	}
	return rates
}

// measureRate runs a test under the default oracles, as cooprun does. The first trials, with which
// a worker warms up, do not count.
func measureRate(t *testing.T, s *runner.Session, name, test string) rate {
	t.Helper()
	var trials int
	var steps int64
	var took time.Duration
	for first := 0; took < *throughput; {
		job := &sched.Job{
			Test: test, Strategy: *throughputStrategy, Seed: 1, First: first, Count: 1 << 20, MaxNanos: int64(*throughput),
			MaxSteps: 1_000_000, Clock: "idle", Leak: true, Race: true, KeepOn: true,
		}
		if first == 0 {
			job.Count = 100
		}
		began := time.Now()
		r, err := s.Do(t.Context(), job)
		if err != nil || r.Trials == 0 || len(r.Failures) > 0 {
			t.Fatalf("%s: error %v, %+v", name, err, r)
		}
		if first > 0 {
			trials, steps, took = trials+r.Trials, steps+r.Steps, took+time.Since(began)
		}
		first += r.Trials
	}
	return rate{test: name, perSecond: float64(trials) / took.Seconds(), steps: float64(steps) / float64(trials)}
}

// checkGoTest checks the arguments of a go test command of README.md: they name flags and
// a test of this package.
func checkGoTest(args []string) error {
	run := ""
	for _, arg := range args {
		name, isFlag := strings.CutPrefix(arg, "-")
		name, value, _ := strings.Cut(name, "=")
		switch {
		case !isFlag:
			return fmt.Errorf("%s is no flag with a value", arg)
		case flag.Lookup(name) == nil && flag.Lookup("test."+name) == nil:
			return fmt.Errorf("there is no flag -%s", name)
		case name == "run":
			run = value
		}
	}
	files, err := filepath.Glob("*_test.go")
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		if bytes.Contains(text, []byte("\nfunc "+run+"(t *testing.T)")) {
			return nil
		}
	}
	return errors.Join(err, fmt.Errorf("there is no test %q", run))
}

// TestCheckGoTest breaks commands in each way.
func TestCheckGoTest(t *testing.T) {
	for command, want := range map[string]string{
		"-run=TestThroughput -throughput=300ms -v -timeout=0": "",
		"-run=TestThroughputs -v":                             "no test",
		"-v":                                                  "no test",
		"-run=TestThroughput -through=300ms":                  "no flag -through",
		"-run TestThroughput":                                 "no flag with a value",
	} {
		err := checkGoTest(strings.Fields(command))
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q", command, err, want)
		}
	}
}
