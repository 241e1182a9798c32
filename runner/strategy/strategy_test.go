package strategy

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/coopvet/coop/runner/sched"
)

// controlled lists the strategies that control the schedule.
func controlled() []string {
	var names []string
	for _, s := range strategies {
		if s.make != nil && s.name != "dfs" { // which has tests of its own
			names = append(names, s.name)
		}
	}
	return names
}

func byName(t testing.TB, name string) sched.Strategy {
	t.Helper()
	s, err := ByName(name, Options{})
	if err != nil || s == nil {
		t.Fatalf("strategy %s: %v, error %v", name, s, err)
	}
	return s
}

// frequency returns the number of n trials in which e's event occurs.
func (e *experiment) frequency(t *testing.T, strategy string, n int) int {
	s := byName(t, strategy)
	e.program.run(s, sched.PilotTrial)
	hits := 0
	for i := range n {
		c := e.start()
		for _, id := range e.program.run(s, i) {
			c = c.step(int(id))
		}
		if e.event(c.v) {
			hits++
		}
	}
	return hits
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

// TestProbabilities holds the strategies against the enumerated probabilities.
func TestProbabilities(t *testing.T) {
	const n = 15_000
	for _, e := range experiments {
		for _, strategy := range e.certified() {
			p := e.exact(strategy)
			if hits := e.frequency(t, strategy, n); implausible(hits, n, p) {
				t.Errorf("%s, %s: %d times in %d trials, want %.1f", e.name, strategy, hits, n, p*n)
			}
		}
	}
}

// With a switch probability of 1/2 the running task goes on with 1/2, otherwise each of
// two with 1/2.
func TestSwitch(t *testing.T) {
	const n = 15_000
	i := slices.IndexFunc(experiments, func(e experiment) bool { return e.name == "LostUpdate" })
	if hits := experiments[i].frequency(t, "random:p=0.5", n); implausible(hits, n, 1./4) {
		t.Errorf("%d times in %d trials, want %.1f", hits, n, n/4.)
	}
}

// A task that spins must not starve the task that it waits for, nor must two.
func TestFairness(t *testing.T) {
	spin := func(op sched.Op) []sched.Op { return slices.Repeat([]sched.Op{op}, 20_000) }
	work := []sched.Op{write(y), write(y), write(y), write(x)}
	add := sched.Op{Kind: sched.AtomicRMW, Object: mu, Size: 8}
	alternate := func(other, ahead int) (ops []sched.Op) {
		for i := range 20_000 {
			ops = append(ops, after(other, i+ahead))
		}
		return ops
	}
	long := slices.Repeat([]sched.Op{write(y), write(x)}, 20)
	programs := map[string]program{
		"load":                   {spin(read(x)), work},
		"two loads":              {spin(read(x)), spin(read(x)), work},
		"compare-and-swap":       {spin(add), work},
		"two compare-and-swaps":  {work, spin(add), spin(add)},
		"gosched":                {work, spin(sched.Op{Kind: sched.Gosched})},
		"two that take turns":    {alternate(1, 0), alternate(0, 1), long},
		"two, and the third":     {long, alternate(2, 0), alternate(1, 1)},
		"load of something else": {work, spin(read(private)), spin(add)},
	}
	for name, p := range programs {
		plain := p.run(&Replay{Replay: sched.Replay{Loose: true}}, 0) // the warm-up
		worker := sched.TaskID(slices.IndexFunc(p, func(ops []sched.Op) bool { return len(ops) < 20_000 }))
		if done := lastOf(plain, worker); done > 15*starveLimit {
			t.Errorf("%s, without a schedule: the other task has ended after %d steps only", name, done)
		}
		for _, strategy := range controlled() {
			s := byName(t, strategy)
			for trial := sched.PilotTrial; trial < 10; trial++ {
				if done := lastOf(p.run(s, trial), worker); done > 15*starveLimit {
					t.Errorf("%s, %s, trial %d: the other task has ended after %d steps only", name, strategy, trial, done)
				}
			}
		}
	}
}

// lastOf returns the index of the task's last step.
func lastOf(order []sched.TaskID, id sched.TaskID) int {
	last := len(order) - 1
	for order[last] != id {
		last--
	}
	return last
}

// What a strategy has seen before a block must not matter, apart from the pilot.
func TestSameSeedSameSchedule(t *testing.T) {
	p := program{{write(x), read(y), lock(mu), write(x), unlock(mu)}, {read(x), write(y)}, {write(x), lock(mu), write(y), unlock(mu)}}
	other := program{{write(x), write(x), write(x)}, {read(x), read(x)}, {write(y)}, {write(y)}}
	for _, name := range controlled() {
		a, b := byName(t, name), byName(t, name)
		other.run(b, sched.PilotTrial)
		p.run(a, sched.PilotTrial)
		p.run(b, sched.PilotTrial)
		for trial := range historyBlock + 10 {
			other.run(b, trial)
		}
		differ := false
		var first []sched.TaskID
		for trial := range 2 * learnBlock {
			x, y := p.run(a, trial), p.run(b, trial)
			if !slices.Equal(x, y) {
				t.Fatalf("%s, trial %d: %v and %v", name, trial, x, y)
			}
			if trial == 0 {
				first = x
			}
			differ = differ || !slices.Equal(x, first)
		}
		if !differ {
			t.Errorf("%s: all seeds give one schedule", name)
		}
	}
}

// After the first trials a strategy allocates nothing.
// TestAddressesDoNotDecide: a seed draws the same schedule wherever the objects are, also if
// all of them are in one list of those that find dependent operations.
func TestAddressesDoNotDecide(t *testing.T) {
	const tasks, objects, length = 12, 4, 6
	var apart, together []uintptr
	for addr, one := uintptr(1<<16), int32(-1); len(together) < objects; addr += wordBytes {
		if list := listOf(&sched.Op{Object: addr, Size: 1}); one < 0 || list == one {
			one, together = list, append(together, addr)
		}
	}
	for k := range objects {
		apart = append(apart, uintptr(1<<16+k*wordBytes))
	}
	at := func(addrs []uintptr) program {
		p := make(program, tasks)
		for i := range p {
			for k := range length {
				p[i] = append(p[i], write(addrs[(i*k+i+k)%objects]))
			}
		}
		return p
	}
	for _, name := range controlled() {
		a, b := byName(t, name), byName(t, name)
		for trial := range 200 {
			if x, y := at(apart).run(a, trial), at(together).run(b, trial); !slices.Equal(x, y) {
				t.Errorf("%s, trial %d: at other addresses another schedule:\n%v\n%v", name, trial, x, y)
				break
			}
		}
	}
}

func TestNoAllocation(t *testing.T) {
	tasks := make([]*sched.Task, 100)
	for i := range tasks {
		tasks[i] = &sched.Task{ID: sched.TaskID(i), Parent: sched.NoTask, Path: uint64(i + 1), Pending: write(x)}
		tasks[i].Pending.Site = sched.Site(i + 1)
	}
	for _, name := range controlled() {
		s := byName(t, name)
		w, watches := s.(sched.Watcher)
		e, ends := s.(sched.TrialEnder)
		r := sched.NewRand(1)
		play := func(trial int) {
			s.Begin(sched.TrialInfo{Trial: trial, Rand: &r})
			for i := range tasks {
				if watches {
					w.Enabled(tasks[i])
				}
			}
			last := sched.NoTask
			for step := range 2000 {
				if last = s.Pick(tasks, last); step%3 == 0 && watches {
					w.Disabled(tasks[last])
					w.Enabled(tasks[last])
				}
				tasks[last].Pending.Object = private + 8*uintptr(step%10)
			}
			if ends {
				e.End(2000, sched.FailNone)
			}
		}
		for trial := sched.PilotTrial; trial < 50; trial++ {
			play(trial)
		}
		if n := testing.AllocsPerRun(20, func() { play(51) }); n > 0 {
			t.Errorf("%s: %v allocations in a trial", name, n)
		}
	}
}

// pct learns k: the second trial of a block has change points up to the number of
// choices that the longest one before it had.
func TestLearnsLength(t *testing.T) {
	p := &pct{depth: 5}
	short, long := program{{write(x)}, {write(x)}}, program{slices.Repeat([]sched.Op{write(x)}, 50), slices.Repeat([]sched.Op{write(x)}, 50)}
	short.run(p, sched.PilotTrial)
	if p.longest != 1 {
		t.Errorf("k is %d after a pilot with 1 choice", p.longest)
	}
	long.run(p, 0)
	long.run(p, 1)
	if k := p.longest; k < 50 || k > 99 {
		t.Errorf("k is %d after trials with 50 to 99 choices", k)
	}
	short.run(p, 2)
	for _, at := range p.changes {
		if at < 1 || at > p.longest {
			t.Errorf("change point %d is not in [1,%d]", at, p.longest)
		}
	}
	short.run(p, learnBlock)
	if p.longest != 1 {
		t.Errorf("k is %d in the next block", p.longest)
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

	for first, want := range map[sched.TaskID][]sched.TaskID{0: {0, 1, 0, 1}, 1: {1, 0, 1, 0}} {
		r = &Replay{Replay: sched.Replay{Decisions: []sched.TaskID{first}, Turns: true}}
		if got := lostUpdate.run(r, 0); !slices.Equal(got, want) || !r.Complete() {
			t.Errorf("turns after %d: %v, want %v; complete %v", first, got, want, r.Complete())
		}
	}
}

func TestByName(t *testing.T) {
	for _, name := range Names() {
		if _, err := ByName(name, Options{}); err != nil || Doc(name) == "" {
			t.Errorf("%s: error %v, doc %q", name, err, Doc(name))
		}
	}
	for name, want := range map[string]string{"rapid": "rapos", "pct:d": "invalid syntax", "pct:d=0": "not positive", "pos:d=1": "no parameter", "random:p=2": "not a probability"} {
		if _, err := ByName(name, Options{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("strategy %s: error %v, want one with %q", name, err, want)
		}
	}
	if p, ok := Noise("noise:p=0.5", Options{}); !ok || p != 0.5 {
		t.Errorf("noise with probability %v, %v", p, ok)
	}
}

// BenchmarkPick measures a step, with tasks that share an object with some others.
func BenchmarkPick(b *testing.B) {
	for _, name := range controlled() {
		for _, n := range []int{2, 8, 64, 512} {
			for _, sharing := range []int{1, 2, n} {
				b.Run(fmt.Sprintf("%s/%d/%d", name, n, sharing), func(b *testing.B) { benchmarkPick(b, name, n, sharing) })
			}
		}
	}
}

func benchmarkPick(b *testing.B, name string, n, sharing int) {
	s := byName(b, name)
	w, watches := s.(sched.Watcher)
	r := sched.NewRand(1)
	s.Begin(sched.TrialInfo{Rand: &r})
	var enabled []*sched.Task
	for i := range n {
		t := &sched.Task{ID: sched.TaskID(i), Parent: sched.NoTask, Path: uint64(i + 1), Pending: write(uintptr(8 * (i/sharing + 1)))}
		t.Pending.Site = sched.Site(i + 1)
		enabled = append(enabled, t)
		if watches {
			w.Enabled(t)
		}
	}
	last := sched.NoTask
	b.ReportAllocs()
	for b.Loop() {
		last = s.Pick(enabled, last)
	}
}
