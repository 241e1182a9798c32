package strategy

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/coopvet/coop/runner/sched"
)

// program is a model of a concurrent program: the operations of each task. All are
// enabled from the start.
type program [][]sched.Op

// run performs p under s and returns the order in which tasks made their steps.
func (p program) run(s sched.Strategy, trial int) []sched.TaskID {
	seed := sched.TrialSeed(1, "program", trial)
	r := sched.NewRand(seed)
	s.Begin(sched.TrialInfo{Trial: trial, Seed: seed, Rand: &r})
	tasks := make([]sched.Task, len(p))
	next := make([]int, len(p))
	var order []sched.TaskID
	last := sched.NoTask
	for {
		var enabled []*sched.Task
		for i := range p {
			if next[i] < len(p[i]) {
				tasks[i].ID = sched.TaskID(i)
				tasks[i].Pending = p[i][next[i]]
				enabled = append(enabled, &tasks[i])
			}
		}
		if len(enabled) == 0 {
			return order
		}
		last = s.Pick(enabled, last)
		next[last]++
		order = append(order, last)
	}
}

func read(x uintptr) sched.Op  { return sched.Op{Kind: sched.Read, Object: x, Size: 1} }
func write(x uintptr) sched.Op { return sched.Op{Kind: sched.Write, Object: x, Size: 1} }

// figure1 is the program of RAPOS's figure 1: task 0 makes m accesses to objects of its
// own and writes x, task 1 writes x.
func figure1(m int) program {
	var t []sched.Op
	for i := range m {
		t = append(t, write(uintptr(100+10*i)))
	}
	return program{append(t, write(1)), {write(1)}}
}

// lostUpdate is two tasks that read and then write one variable.
var lostUpdate = program{{read(1), write(1)}, {read(1), write(1)}}

// frequency returns the share of n trials that sat is true of.
func frequency(t *testing.T, name string, o Options, p program, n int, sat func([]sched.TaskID) bool) float64 {
	t.Helper()
	s, err := ByName(name, o)
	if err != nil {
		t.Fatal(err)
	}
	hits := 0
	for i := range n {
		if sat(p.run(s, i)) {
			hits++
		}
	}
	return float64(hits) / float64(n)
}

// TestProbabilities holds the samplers against the exact probabilities of
// strategies.md. By Hoeffding's inequality a frequency in n trials is off by more than
// eps with probability at most 2·exp(-2·n·eps²), which is below 1e-6 here.
func TestProbabilities(t *testing.T) {
	const n = 200_000
	eps := math.Sqrt(math.Log(2/1e-6) / (2 * n))
	first := func(o []sched.TaskID) bool { return slices.Index(o, 1) == len(o)-1 }
	lost := func(o []sched.TaskID) bool { return o[0] != o[1] }
	tests := []struct {
		name, strategy string
		options        Options
		program        program
		event          func([]sched.TaskID) bool
		want           float64
	}{
		{"task 0 first, m=1", "random", Options{}, figure1(1), first, 1.0 / 4},
		{"task 0 first, m=3", "random", Options{}, figure1(3), first, 1.0 / 16},
		{"task 0 first, m=1", "rapos", Options{}, figure1(1), first, 1.0 / 4},
		{"task 0 first, m=3", "rapos", Options{}, figure1(3), first, 1.0 / 4},
		{"task 0 first, m=10", "rapos", Options{}, figure1(10), first, 1.0 / 4},
		{"lost update", "random", Options{}, lostUpdate, lost, 1.0 / 2},
		{"lost update", "rapos", Options{}, lostUpdate, lost, 1.0 / 2},
		// The running task goes on with 1/2, otherwise each of two with 1/2.
		{"lost update, switch 1/2", "random", Options{Switch: 0.5}, lostUpdate, lost, 1.0 / 4},
	}
	for _, tt := range tests {
		t.Run(tt.strategy+" "+tt.name, func(t *testing.T) {
			if got := frequency(t, tt.strategy, tt.options, tt.program, n, tt.event); math.Abs(got-tt.want) > eps {
				t.Errorf("frequency %.5f, want %.5f ± %.5f", got, tt.want, eps)
			}
		})
	}
}

// A task that spins must not starve the task that it waits for.
func TestFairness(t *testing.T) {
	spin := make([]sched.Op, 100_000)
	for i := range spin {
		spin[i] = read(1)
	}
	p := program{spin, {write(2), write(2), write(2), write(1)}}
	for _, name := range []string{"random", "rapos"} {
		s, err := ByName(name, Options{})
		if err != nil {
			t.Fatal(err)
		}
		for trial := range 20 {
			order := p.run(s, trial)
			done := len(order) - 1
			for order[done] != 1 {
				done--
			}
			if done > 10*starveLimit {
				t.Errorf("%s, trial %d: the other task has ended after %d steps only", name, trial, done)
			}
		}
	}
}

func TestSameSeedSameSchedule(t *testing.T) {
	p := program{{write(1), read(2), write(3)}, {read(1), write(2)}, {write(1), write(3)}}
	for _, name := range []string{"random", "rapos"} {
		a, _ := ByName(name, Options{})
		b, _ := ByName(name, Options{})
		b.Begin(sched.TrialInfo{Rand: new(sched.Rand)}) // what happened before must not matter
		differ := false
		for trial := range 100 {
			if x, y := p.run(a, trial), p.run(b, trial); !slices.Equal(x, y) {
				t.Fatalf("%s, trial %d: %v and %v", name, trial, x, y)
			}
			differ = differ || !slices.Equal(p.run(a, trial), p.run(a, 0))
		}
		if !differ {
			t.Errorf("%s: all seeds give one schedule", name)
		}
	}
}

func TestReplay(t *testing.T) {
	s, _ := ByName("random", Options{})
	want := lostUpdate.run(s, 7)
	r := &Replay{Replay: sched.Replay{Decisions: want}}
	if got := lostUpdate.run(r, 0); !slices.Equal(got, want) || !r.Complete() || r.Divergence != nil {
		t.Errorf("replay %v of %v; complete %v, divergence %v", got, want, r.Complete(), r.Divergence)
	}

	r = &Replay{Replay: sched.Replay{Decisions: []sched.TaskID{0, 0, 0, 1}}}
	lostUpdate.run(r, 0)
	if r.Divergence == nil || r.Divergence.Step != 2 || r.Complete() {
		t.Errorf("strict replay of a schedule that does not fit: divergence %v", r.Divergence)
	}

	r = &Replay{Replay: sched.Replay{Decisions: []sched.TaskID{0, 0, 0, 1}, Loose: true}}
	if got := lostUpdate.run(r, 0); !slices.Equal(got, []sched.TaskID{0, 0, 1, 1}) || r.Divergence != nil {
		t.Errorf("loose replay: %v, divergence %v", got, r.Divergence)
	}
}

func TestByName(t *testing.T) {
	for _, name := range Names() {
		if _, err := ByName(name, Options{}); err != nil || Doc(name) == "" {
			t.Errorf("%s: error %v, doc %q", name, err, Doc(name))
		}
	}
	if _, err := ByName("rapid", Options{}); err == nil || !strings.Contains(err.Error(), "rapos") {
		t.Errorf("unknown strategy: %v", err)
	}
}

func BenchmarkPick(b *testing.B) {
	for _, name := range []string{"random", "rapos"} {
		b.Run(name, func(b *testing.B) {
			s, _ := ByName(name, Options{})
			r := sched.NewRand(1)
			s.Begin(sched.TrialInfo{Rand: &r})
			tasks := make([]sched.Task, 8)
			var enabled []*sched.Task
			for i := range tasks {
				tasks[i].ID = sched.TaskID(i)
				tasks[i].Pending = write(uintptr(8 * (i / 2)))
				enabled = append(enabled, &tasks[i])
			}
			last := sched.NoTask
			b.ReportAllocs()
			for b.Loop() {
				last = s.Pick(enabled, last)
			}
		})
	}
}
