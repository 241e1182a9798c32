package main

import (
	"cmp"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/coopvet/coop/runner"
	"github.com/coopvet/coop/runner/sched"
)

var (
	publishedSize  = flag.String("published", "short", "how much of the published tables TestPublished measures again: short or full")
	publishedSeeds = flag.Int("published.seeds", 10, "experiments that a figure of table 5.3 is the mean of")
)

// TestPublished measures the tables of two papers again and prints ours beside theirs:
//
//	go test ./cmd/cooprun -run TestPublished -published=full -v -timeout=0
//
// E. Simões, Cooperative Testing of Multithreaded Java Applications (Cooperari), table 5.3;
// K. Sen, Effective Random Testing of Concurrent Programs (RAPOS), ASE 2007, table 1 and figures 6 and 7.
func TestPublished(t *testing.T) {
	if testing.Short() {
		t.Skip("builds test binaries")
	}
	full := *publishedSize == "full"
	t.Run("Cooperari", func(t *testing.T) { testCooperari(t, full) })
	t.Run("RAPOS", func(t *testing.T) { testOrders(t, full) })
	t.Run("Defects", func(t *testing.T) { testDefects(t, full) })
}

// cooperariSizes are the numbers of threads in table 5.3.
var cooperariSizes = []int{2, 4, 8, 16, 32}

// cooperariTable is table 5.3, trials until the failure: history, random, unconstrained;
// 1000 means not found, 0 that it was not measured.
var cooperariTable = map[string][3][5]int{
	"alarmclock":   {{1000, 7, 3, 1, 2}, {1000, 8, 13, 8, 6}, {1000, 0, 1000, 0, 0}},
	"hashcode":     {{1, 1, 1, 1, 1}, {1, 1, 1, 1, 1}, {0, 1000, 0, 0, 0}},
	"bank":         {{1, 1, 1, 3, 1}, {1, 1, 1, 2, 1}, {0, 1000, 0, 0, 0}},
	"clean":        {{3, 4, 2, 1, 1}, {21, 2, 1, 1, 1}, {25, 3, 1, 1, 1}},
	"philosophers": {{2, 9, 48, 581, 1000}, {4, 13, 165, 1000, 1000}, {0, 1000, 0, 0, 0}},
	"linkedlist":   {{2, 1, 1, 1, 1}, {2, 4, 1, 1, 1}, {0, 1000, 0, 0, 0}},
	"mergesort":    {{99, 117, 95, 54, 4}, {99, 11, 51, 14, 35}, {0, 1000, 0, 0, 0}},
	"piper":        {{1000, 2, 2, 1, 1}, {1000, 3, 1, 1, 1}, {1000, 2, 1, 1, 1}},
	"reorder":      {{50, 13, 4, 7, 20}, {2, 23, 26, 17, 10}, {0, 1000, 0, 0, 0}},
	"semaphore":    {{1000, 37, 137, 1000, 1000}, {1000, 8, 249, 1000, 1000}, {1000, 0, 1000, 0, 0}},
	"twostage":     {{52, 57, 11, 15, 28}, {324, 141, 157, 92, 46}, {0, 1000, 0, 0, 0}},
	"wronglock":    {{5, 1, 2, 7, 1}, {5, 1, 2, 3, 1}, {0, 1000, 0, 0, 0}},
}

// cooperariSafe are the programs that cannot fail with two threads, according to the paper.
// Of ours alarmclock and piper can.
var cooperariSafe = []string{"semaphore"}

const cooperariLimit = 1000 // trials

// testCooperari is table 5.3. As in the paper a failure is a failed assertion or a
// deadlock, not a data race; all accesses to memory are scheduling points.
func testCooperari(t *testing.T, full bool) {
	strategies := []string{"history", "random", "none", "rapos", "pos", "pct", "surw", "lockstep", "portfolio"}
	programs := slices.Sorted(maps.Keys(cooperariTable))
	sizes := cooperariSizes
	seeds := *publishedSeeds
	if !full {
		strategies, programs, sizes, seeds = []string{"history", "random", "lockstep"}, []string{"philosophers", "reorder"}, []int{4, 32}, 2
	}
	targets, opts := buildCooperari(t, programs)
	t.Logf("%-12s %2s | %23s | %s", "", "n", "paper: hist rand native", "ours, not found in parentheses: "+strings.Join(strategies, " "))
	for _, program := range programs {
		for _, n := range sizes {
			if n == 2 && slices.Contains(cooperariSafe, program) {
				continue
			}
			paper := cooperariTable[program]
			i := slices.Index(cooperariSizes, n)
			line := fmt.Sprintf("%-12s %2d | %11s %5s %5s |", program, n, paperTrials(paper[0][i]), paperTrials(paper[1][i]), paperTrials(paper[2][i]))
			found := false
			for _, s := range strategies {
				mean, missed := meanTrials(t, targets[program], withHang(opts, s), fmt.Sprintf("TestSize%d", n), s, seeds)
				found = found || missed < seeds
				line += fmt.Sprintf(" %s", cell(mean, missed))
			}
			t.Log(line)
			if !found {
				t.Errorf("%s %d: no strategy finds the bug within %d trials", program, n, cooperariLimit)
			}
		}
	}
}

// meanTrials returns the mean number of trials to the first failure, where an experiment
// without one counts as cooperariLimit, and the number of those.
func meanTrials(t *testing.T, target *runner.Target, opts *runner.Options, test, strategy string, seeds int) (mean float64, missed int) {
	t.Helper()
	s := runner.NewSession(target, opts)
	defer s.Close()
	sum := 0
	for seed := range seeds {
		n, found := firstFailure(t, s, &sched.Job{
			Test: test, Strategy: strategy, Seed: uint64(seed + 1), Count: cooperariLimit, MaxSteps: 100_000, Clock: "idle", Leak: true,
		})
		sum += n
		if !found {
			missed++
		}
	}
	return float64(sum) / float64(seeds), missed
}

func paperTrials(n int) string {
	if n == 0 {
		return "-"
	}
	return fmt.Sprint(n)
}

func cell(mean float64, missed int) string {
	if missed > 0 {
		return fmt.Sprintf("%9s", fmt.Sprintf("%.0f(%d)", mean, missed))
	}
	return fmt.Sprintf("%9.1f", mean)
}

// corpusTest is a test of the programs in corpus/buggy/cooperari.
var corpusTest = regexp.MustCompile(`(?m)^func Test\w+?(\d+)\(t \*testing\.T\) *\{ (\w+)\(t, (\d+)\) \}$`)

// buildCooperari builds the programs of the corpus with a test TestSizeN for each size.
func buildCooperari(t *testing.T, programs []string) (map[string]*runner.Target, *runner.Options) {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module published\n\ngo 1.25\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, p := range programs {
		to := filepath.Join(dir, p)
		if err := os.CopyFS(to, os.DirFS(filepath.Join(corpusDir, "buggy/cooperari", p))); err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(to, p+"_test.go")
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		match := corpusTest.FindSubmatch(text)
		if match == nil {
			t.Fatalf("%s has no test with a size", file)
		}
		for _, n := range cooperariSizes {
			text = fmt.Appendf(text, "\nfunc TestSize%d(t *testing.T) { %s(t, %d) }\n", n, match[2], n)
		}
		if err := os.WriteFile(file, text, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	targets := map[string]*runner.Target{}
	list, opts := buildTargets(t, dir, "-classify=all", "./...")
	for _, target := range list {
		targets[filepath.Base(target.Package)] = target
	}
	return targets, opts
}

// raposProgram is a row of table 1.
type raposProgram struct {
	test          string
	trials        int
	simple, rapos int  // distinct partial orders in the paper
	memory        bool // accesses to memory are scheduling points
}

// raposTable is table 1. In the paper threads switch at synchronisation only, and so they do here
// but for the numeric programs, which in Go would have one operation for each worker: there
// accesses to memory are scheduling points, too, nearly all of them to memory that no
// other worker uses, as in the paper's figure 1.
var raposTable = []raposProgram{
	{"ArrayList", 300, 71, 247, false},
	{"BoundedBuffer", 300, 118, 171, false},
	{"HashSet", 300, 42, 230, false},
	{"LinkedHashSet", 300, 48, 230, false},
	{"LinkedList", 300, 58, 259, false},
	{"Moldyn", 100, 19, 48, true},
	{"Montecarlo", 100, 4, 75, true},
	{"Philo", 2000, 1124, 1552, false},
	{"Pipeline", 300, 38, 156, false},
	{"Raytracer", 100, 22, 44, true},
	{"TreeSet", 300, 78, 240, false},
	{"Vector", 300, 105, 256, false},
}

const publishedOrders = "testdata/published/orders"

// testOrders is table 1 and, as numbers, figure 6: the shares of the most and the least
// frequent partial order. The error probability of the comparison is not stated: it fails
// only if rapos is behind by a tenth.
func testOrders(t *testing.T, full bool) {
	strategies := []string{"random", "rapos", "pos", "surw", "portfolio"}
	if !full {
		strategies = strategies[:2]
	}
	targets := map[bool]*runner.Target{}
	var opts *runner.Options
	for memory, classify := range map[bool]string{false: "none", true: "all"} {
		var list []*runner.Target
		list, opts = buildTargets(t, root(t), "-classify="+classify, "./"+publishedOrders)
		targets[memory] = list[0]
	}
	t.Logf("%-14s %5s | %-16s | ours: %s; of the most frequent and the least", "", "n", "paper", strings.Join(strategies, ", "))
	better := 0
	for _, p := range raposTable {
		s := runner.NewSession(targets[p.memory], opts)
		line := fmt.Sprintf("%-14s %5d | %4d %4d %6.2f |", p.test, p.trials, p.simple, p.rapos, float64(p.rapos)/float64(p.simple))
		var distinct []int
		bars := ""
		for _, strategy := range strategies {
			counts := orderShares(t, s, "Test"+p.test, strategy, p.trials)
			distinct = append(distinct, len(counts))
			line += fmt.Sprintf(" %4d", len(counts))
			bars += fmt.Sprintf(" %.3f-%.3f", float64(counts[0])/float64(p.trials), float64(counts[len(counts)-1])/float64(p.trials))
		}
		s.Close()
		ratio := float64(distinct[1]) / float64(distinct[0])
		t.Logf("%s  rapos/random %5.2f; %s", line, ratio, bars)
		if ratio >= float64(p.rapos)/float64(p.simple) {
			better++
		}
		if ratio < 0.9 {
			t.Errorf("%s: rapos samples fewer partial orders than random", p.test)
		}
	}
	t.Logf("the ratio is at least the paper's for %d of %d programs", better, len(raposTable))
}

// root is the root of the module.
func root(t *testing.T) string {
	t.Helper()
	dir, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// orderShares returns how many trials are of each partial order, in descending order.
func orderShares(t *testing.T, s *runner.Session, test, strategy string, trials int) []int {
	t.Helper()
	counts := map[uint64]int{}
	job := &sched.Job{Test: test, Strategy: strategy, Seed: 1, Count: trials, MaxSteps: 100_000, Clock: "idle", KeepOn: true, Orders: true}
	for job.Count > 0 {
		r, err := s.Do(t.Context(), job)
		if err != nil || r.Trials == 0 {
			t.Fatalf("%s, %s: %v, %+v", test, strategy, err, r)
		}
		for _, o := range r.Orders.Counts {
			counts[o.Hash] += o.Trials
		}
		job.First += r.Trials
		job.Count -= r.Trials
	}
	return slices.SortedFunc(maps.Values(counts), func(a, b int) int { return cmp.Compare(b, a) })
}

// raposDefects is figure 7, where the text says it: the mean number of executions to the
// invalid iterator, of the simple algorithm and of RAPOS.
var raposDefects = map[string][2]int{"Vector": {615, 129}, "ArrayList": {}, "LinkedList": {}}

// testDefects is figure 7, over 25 experiments. Deadlocks, which the drivers have, too,
// do not count.
func testDefects(t *testing.T, full bool) {
	strategies, experiments, limit := []string{"random", "rapos", "pos", "pct", "surw", "portfolio"}, 25, 20_000
	if !full {
		strategies, experiments, limit = strategies[:2], 3, 5000
	}
	list, opts := buildTargets(t, root(t), "-classify=all", "./"+publishedOrders)
	for _, test := range slices.Sorted(maps.Keys(raposDefects)) {
		line := fmt.Sprintf("%-10s | paper %3s %3s | ours", test, paperTrials(raposDefects[test][0]), paperTrials(raposDefects[test][1]))
		for _, strategy := range strategies {
			s := runner.NewSession(list[0], opts)
			sum, missed := 0, 0
			for seed := range experiments {
				n, found := trialsToDefect(t, s, "Test"+test, strategy, uint64(seed+1), limit)
				sum += n
				if !found {
					missed++
				}
			}
			s.Close()
			line += fmt.Sprintf("  %s %s", strategy, strings.TrimSpace(cell(float64(sum)/float64(experiments), missed)))
			if missed == experiments {
				t.Errorf("%s, %s: the defect was not found", test, strategy)
			}
		}
		t.Log(line)
	}
}

// trialsToDefect returns the number of trials up to the first failed assertion.
func trialsToDefect(t *testing.T, s *runner.Session, test, strategy string, seed uint64, limit int) (int, bool) {
	t.Helper()
	const step = 64
	for first := 0; first < limit; {
		r, err := s.Do(t.Context(), &sched.Job{
			Test: test, Strategy: strategy, Seed: seed, First: first, Count: step, MaxSteps: 100_000, Clock: "idle", KeepOn: true,
		})
		if err != nil || r.Trials == 0 {
			t.Fatalf("%s, %s: %v, %+v", test, strategy, err, r)
		}
		for _, f := range r.Failures {
			if f.Failure.Kind == sched.FailTest {
				return f.Trial + 1, true
			}
		}
		first += r.Trials
	}
	return limit, false
}
