package main

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/coopvet/coop/runner"
)

// TestCorpusClasses compares the classifications on each buggy program of the corpus: the
// share of scheduling points at memory accesses that static leaves of all, schedules a
// second, and the mean number of trials to the bug, of which static must miss none that all
// finds:
//
//	go test ./cmd/cooprun -run TestCorpusClasses -corpus.seeds=20 -v -timeout=0
//
// Points that are there with -classify=none as well are no memory accesses.
func TestCorpusClasses(t *testing.T) {
	if *corpusSeeds == 0 {
		t.Skip("no -corpus.seeds")
	}
	runs := make(map[string]*corpusRun)
	for _, choice := range classChoices {
		runs[choice] = buildCorpus(t, thoroughnesses["medium"], "-classify="+choice)
	}
	targets := make(map[string]map[string]*runner.Target) // by classification and name
	for choice, c := range runs {
		targets[choice] = make(map[string]*runner.Target)
		for _, p := range c.buggy {
			targets[choice][p.name] = p.target
		}
	}
	opts := &runs[classifyAll].opts
	table := &classTable{trials: &trialTable{seeds: *corpusSeeds, limit: 1000, maxSteps: 100_000, race: true}}
	t.Logf("%-34s %7s %7s %6s %9s %8s %8s %7s", "", "all", "static", "left", "trials/s", "to bug", "static", "ratio")
	for _, p := range runs[classifyAll].buggy {
		for _, test := range targetTests(t, p.target, opts) {
			var row classRow
			for i, choice := range classChoices {
				row.measure(t, table.trials, i, targets[choice][p.name], opts, test)
			}
			table.add(t, p.name+"."+strings.TrimPrefix(test, "Test"), &row)
		}
	}
	table.print(t)
}

// classChoices are the columns of a classTable.
var classChoices = [...]string{classifyAll, classifyStatic, classifyNone}

const columnAll, columnStatic, columnNone = 0, 1, 2

// classRow is what was measured of a test, by classification.
type classRow struct {
	steps, seconds, mean [len(classChoices)]float64 // steps and seconds of one trial
	missed               [len(classChoices)]int     // campaigns without the bug
}

// classTable sums up the rows.
type classTable struct {
	trials       *trialTable
	all, left    float64 // scheduling points at memory accesses, one trial of each test
	speed, means float64 // sums of the logarithms of ratios
	rows         int
}

// pointTrials is the number of trials over which the steps of a test are counted.
const pointTrials = 1000

// measure runs one test of a target.
func (r *classRow) measure(t *testing.T, table *trialTable, i int, target *runner.Target, opts *runner.Options, test string) {
	r.steps[i], r.seconds[i] = perSchedule(t, table, target, opts, test)
	if i != columnNone {
		r.mean[i], r.missed[i] = table.mean(t, target, opts, test, defaultStrategy)
	}
}

// perSchedule returns the steps of a schedule and the seconds that it takes, on average; 0
// if the test's bug ends the process before it can be measured.
func perSchedule(t *testing.T, table *trialTable, target *runner.Target, opts *runner.Options, test string) (steps, seconds float64) {
	s := runner.NewSession(target, opts)
	defer s.Close()
	job := table.job(test, "random", 1, pointTrials)
	job.Race, job.Leak, job.KeepOn = false, false, true // the schedules go on where another classification's do
	warm := *job
	warm.Count = 0
	if _, err := s.Do(t.Context(), &warm); err != nil {
		t.Logf("%s: %v", test, err)
		return 0, 0
	}
	trials, began := 0, time.Now()
	for job.Count > 0 {
		result, err := s.Do(t.Context(), job)
		if err != nil {
			t.Fatalf("%s: %v", test, err)
		}
		if result.Trials == 0 { // the bug ends the process
			break
		}
		steps += float64(result.Steps)
		trials += result.Trials
		job.First += result.Trials
		job.Count -= result.Trials
	}
	if trials == 0 {
		return 0, 0
	}
	return steps / float64(trials), time.Since(began).Seconds() / float64(trials)
}

// add prints a row, with the number of campaigns that have missed the bug in parentheses.
func (c *classTable) add(t *testing.T, name string, r *classRow) {
	all := max(0, r.steps[columnAll]-r.steps[columnNone])
	left := min(all, max(0, r.steps[columnStatic]-r.steps[columnNone]))
	speed, ratio := 1.0, r.mean[columnStatic]/r.mean[columnAll]
	if r.seconds[columnAll] > 0 && r.seconds[columnStatic] > 0 {
		speed = r.seconds[columnAll] / r.seconds[columnStatic]
	}
	share := "-"
	if all >= 1 {
		share = fmt.Sprintf("%.0f%%", 100*left/all)
	}
	c.all, c.left = c.all+all, c.left+left
	c.speed, c.means = c.speed+math.Log(speed), c.means+math.Log(ratio)
	c.rows++
	cell := func(i int) string {
		if r.missed[i] > 0 {
			return fmt.Sprintf("%.0f(%d)", r.mean[i], r.missed[i])
		}
		return fmt.Sprintf("%.1f", r.mean[i])
	}
	t.Logf("%-34s %7.1f %7.1f %6s %8.2fx %8s %8s %6.2fx", name, all, left, share, speed, cell(columnAll), cell(columnStatic), ratio)
	if r.missed[columnAll] < c.trials.seeds && r.missed[columnStatic] == c.trials.seeds {
		t.Errorf("%s: static finds the bug in none of %d campaigns, all in %d", name, c.trials.seeds, c.trials.seeds-r.missed[columnAll])
	}
}

// print prints the last line: of points the sum, of ratios the geometric mean.
func (c *classTable) print(t *testing.T) {
	n := float64(c.rows)
	t.Logf("%-34s %7.0f %7.0f %5.0f%% %8.2fx %8s %8s %6.2fx", "all programs", c.all, c.left, 100*c.left/c.all, math.Exp(c.speed/n), "", "", math.Exp(c.means/n))
}
