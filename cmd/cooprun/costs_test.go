package main

import (
	"flag"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
)

var (
	costRounds     = flag.Int("costs", 0, "how often TestCosts measures each cost, of which it takes the least")
	costStrategies = flag.String("costs.strategies", "", "the strategies that TestCosts measures, instead of all")
	costSizes      = []int{2, 8, 64, 512}
)

// costPrograms are the programs of testdata/bench whose steps are measured.
var costPrograms = []struct{ name, doc string }{
	{"Steps", "all on one atomic variable: dependent"},
	{"Apart", "on an atomic variable each: independent"},
	{"Locks", "on a mutex each: independent"},
}

// costGoals are the most that a step may cost with 8 tasks, as a multiple of runtime.Gosched.
var costGoals = map[string]float64{"random": 1.5, "pct": 1.5, "pos": 2, "rapos": 4}

// TestCosts prints the processor time of a scheduling step of each strategy, and what multiple
// it is of runtime.Gosched between as many goroutines, measured in the same run:
//
//	go test ./cmd/cooprun -run TestCosts -costs=3 -v -timeout=0
//
// It is for a machine that does nothing else.
func TestCosts(t *testing.T) {
	if *costRounds == 0 {
		t.Skip("no -costs")
	}
	strategies := controlled()
	if *costStrategies != "" {
		strategies = strings.Split(*costStrategies, ",")
	}
	for _, p := range costPrograms {
		t.Logf("%s: steps %s; ns and multiple of Gosched, by enabled tasks", p.name, p.doc)
		line := fmt.Sprintf("%-10s", "")
		for _, n := range costSizes {
			line += fmt.Sprintf(" %14d", n)
		}
		t.Log(line)
		native := leastCosts(func(n int) float64 { return float64(gosched(t, n).Nanoseconds()) })
		t.Log(costLine("Gosched", native, native))
		for _, s := range strategies {
			costs := leastCosts(func(n int) float64 { return stepCost(t, p.name, s, n) })
			// The machine may have become faster since.
			native = least(native, leastCosts(func(n int) float64 { return float64(gosched(t, n).Nanoseconds()) }))
			t.Log(costLine(s, costs, native))
			if goal := costGoals[s]; goal > 0 && costs[1] > goal*native[1] {
				t.Errorf("%s: %.2f times Gosched with 8 tasks, want at most %g", s, costs[1]/native[1], goal)
			}
		}
	}
}

// leastCosts measures each size several times and takes the least, which depends least
// on what else the machine does.
func leastCosts(measure func(n int) float64) []float64 {
	costs := make([]float64, len(costSizes))
	for i, n := range costSizes {
		costs[i] = measure(n)
		for range *costRounds - 1 {
			costs[i] = min(costs[i], measure(n))
		}
	}
	return costs
}

func least(a, b []float64) []float64 {
	c := slices.Clone(a)
	for i := range c {
		c[i] = min(c[i], b[i])
	}
	return c
}

// stepCost returns the processor time of a step, in nanoseconds, of which a program of
// testdata/bench makes as many as it says there.
func stepCost(t *testing.T, program, strategy string, n int) float64 {
	t.Helper()
	steps := n * max(8192/n, 256)
	trials := 100 * 8192 / steps
	trial := perTrial(t, "Test"+program+strconv.Itoa(n), trials, "-strategy="+strategy)
	return float64(trial.Nanoseconds()) / float64(steps)
}

func costLine(name string, costs, native []float64) string {
	line := fmt.Sprintf("%-10s", name)
	for i := range costs {
		line += fmt.Sprintf(" %7.0f %5.2fx", costs[i], costs[i]/native[i])
	}
	return line
}
