package strategy

import (
	"bufio"
	"flag"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/coopvet/coop/runner/sched"
)

var update = flag.Bool("update", false, "rewrite testdata/sampler/probabilities.txt")

// An experiment is a program and an event in which it may end. The test of the same
// name in testdata/sampler is the program in real goroutines, on which cmd/cooprun
// holds the strategies against the same probabilities.
type experiment struct {
	name    string
	program program
	event   func(values) bool
}

var experiments = []experiment{
	// The access of task 0 comes first: the value of task 1 is left.
	{"Figure1of1", figure1(1), func(v values) bool { return v.memory[x] == value(1, 0) }},
	{"Figure1of3", figure1(3), func(v values) bool { return v.memory[x] == value(1, 0) }},
	{"Figure1of10", figure1(10), func(v values) bool { return v.memory[x] == value(1, 0) }},
	// Both have read before one has written.
	{"LostUpdate", lostUpdate, func(v values) bool { return v.seen[0][0]+v.seen[1][0] == 0 }},
	// Of three tasks, the one with the longest way writes last.
	{"ThreeWriters", program{{write(private), write(private + 10), write(x)}, {write(private + 20), write(x)}, {write(x)}},
		func(v values) bool { return v.memory[x] == value(0, 2) }},
	// Two reads of one task see different values.
	{"Sandwich", program{{read(x), read(x), write(private)}, {write(x)}},
		func(v values) bool { return v.seen[0][0] == 0 && v.seen[0][1] != 0 }},
	// Who looks at the flag too early sees the data all the same.
	{"MessagePassing", program{{write(x), write(y)}, {read(y), read(x), write(private)}},
		func(v values) bool { return v.seen[1][0] == 0 && v.seen[1][1] != 0 }},
	// Both see what the other has written.
	{"StoreBuffering", program{{write(x), read(y), write(private)}, {write(y), read(x), write(private + 10)}},
		func(v values) bool { return v.seen[0][1] != 0 && v.seen[1][1] != 0 }},
	// Of three updates the last one has read what was there at the beginning.
	{"LostUpdate3", program{{read(x), write(x)}, {read(x), write(x)}, {read(x), write(x)}},
		func(v values) bool { return v.seen[v.memory[x]/100][0] == 0 }},
	// Two critical sections, between which another task looks.
	{"Locked", program{{lock(mu), write(x), unlock(mu), lock(mu), write(x), unlock(mu)}, {lock(mu), read(x), unlock(mu), write(private)}},
		func(v values) bool { return v.seen[1][1] == value(0, 1) }},
	// Of two updates both are lost.
	{"TwoUpdates", program{{read(x), write(x), read(y), write(y)}, {read(x), write(x), read(y), write(y)}},
		func(v values) bool {
			return v.seen[0][0]+v.seen[1][0] == 0 && v.seen[0][2]+v.seen[1][2] == 0
		}},
}

// values are what is in memory, and what reads have seen, by task and number of the
// operation.
type values struct {
	memory map[uintptr]int
	seen   [][]int
}

// value is what operation k of task i writes.
func value(i, k int) int { return 100*i + k + 1 }

// config is a program under way.
type config struct {
	state
	v values
}

func (e *experiment) start() config {
	c := config{e.program.start(), values{memory: map[uintptr]int{}}}
	for _, ops := range e.program {
		c.v.seen = append(c.v.seen, make([]int, len(ops)))
	}
	return c
}

func (c config) step(i int) config {
	v := values{memory: map[uintptr]int{}}
	for o, x := range c.v.memory {
		v.memory[o] = x
	}
	for _, s := range c.v.seen {
		v.seen = append(v.seen, slices.Clone(s))
	}
	switch op, k := c.pending(i), c.next[i]; op.Kind {
	case sched.AtomicLoad:
		v.seen[i][k] = v.memory[op.Object]
	case sched.AtomicStore:
		v.memory[op.Object] = value(i, k)
	}
	return config{c.state.step(i), v}
}

func (c config) key() string { return fmt.Sprint(c.next, c.held, c.v) }

// An enumerator computes exact probabilities by going through all random choices of a
// strategy, as the papers define it and apart from its implementation.
type enumerator struct {
	event func(values) bool
	memo  map[string]float64
}

// once returns what f computes for key.
func (e *enumerator) once(key string, f func() float64) float64 {
	p, ok := e.memo[key]
	if !ok {
		p = f()
		e.memo[key] = p
	}
	return p
}

func (e *enumerator) end(c config) float64 {
	if e.event(c.v) {
		return 1
	}
	return 0
}

// random: all enabled tasks have the same probability.
func (e *enumerator) random(c config) float64 {
	return e.once(c.key(), func() float64 {
		enabled := c.enabled()
		if len(enabled) == 0 {
			return e.end(c)
		}
		sum := 0.0
		for _, i := range enabled {
			sum += e.random(c.step(i))
		}
		return sum / float64(len(enabled))
	})
}

// urw: in proportion to the steps that are left.
func (e *enumerator) urw(c config) float64 {
	return e.once(c.key(), func() float64 {
		enabled := c.enabled()
		if len(enabled) == 0 {
			return e.end(c)
		}
		sum, total := 0.0, 0.0
		for _, i := range enabled {
			w := float64(c.p.steps(i, c.next[i]))
			sum += w * e.urw(c.step(i))
			total += w
		}
		return sum / total
	})
}

// surw, for programs in which x is the only shared object: urw for the operations on x,
// between which the others do not matter.
func (e *enumerator) surw(c config) float64 {
	for i, ops := range c.p {
		for c.next[i] < len(ops) && c.pending(i).Object != x {
			c = c.step(i)
		}
	}
	return e.once(c.key(), func() float64 {
		sum, total := 0.0, 0.0
		for i, ops := range c.p {
			w := 0.0
			for _, op := range ops[c.next[i]:] {
				if op.Object == x {
					w++
				}
			}
			if w > 0 {
				sum += w * e.surw(c.step(i))
				total += w
			}
		}
		if total == 0 {
			return e.end(c)
		}
		return sum / total
	})
}

// pct: all permutations of the priorities and all choices of change points.
func (e *enumerator) pct(c config, d, k int) float64 {
	n := len(c.p)
	sum, runs := 0.0, 0
	permutations(n, func(order []int) {
		changes := make([]int, d-1)
		for {
			priorities := make([]int, n)
			for i, o := range order {
				priorities[i] = d + o
			}
			sum += e.end(pctRun(c, priorities, changes))
			runs++
			i := 0
			for ; i < d-1; i++ {
				if changes[i]++; changes[i] < k {
					break
				}
				changes[i] = 0
			}
			if i == d-1 {
				return
			}
		}
	})
	return sum / float64(runs)
}

// pctRun runs c with the given priorities. After the changes[i]-th choice from 0, the
// task that has performed the step gets priority i+1, see pct about what is counted.
func pctRun(c config, priorities, changes []int) config {
	last := -1
	for choices := 0; ; {
		enabled := c.enabled()
		if len(enabled) == 0 {
			return c
		}
		if len(enabled) > 1 {
			for i, at := range changes {
				if at == choices && last >= 0 {
					priorities[last] = i + 1
				}
			}
			choices++
		}
		last = slices.MaxFunc(enabled, func(a, b int) int { return priorities[a] - priorities[b] })
		c = c.step(last)
	}
}

// permutations calls f with all permutations of 0..n-1.
func permutations(n int, f func([]int)) {
	p := make([]int, n)
	for i := range p {
		p[i] = i
	}
	var rec func(int)
	rec = func(k int) {
		if k == n {
			f(p)
			return
		}
		for i := k; i < n; i++ {
			p[k], p[i] = p[i], p[k]
			rec(k + 1)
			p[k], p[i] = p[i], p[k]
		}
	}
	rec(0)
}

// rapos: all choices of a batch from the schedulable tasks.
func (e *enumerator) rapos(c config, schedulable []int) float64 {
	return e.once(fmt.Sprint(c.key(), schedulable), func() float64 {
		enabled := c.enabled()
		switch {
		case len(enabled) == 0:
			return e.end(c)
		case len(schedulable) == 0:
			sum := 0.0
			for _, i := range enabled {
				sum += e.raposBatch(c, []int{i})
			}
			return sum / float64(len(enabled))
		}
		sum, n := 0.0, 0.0
		permutations(len(schedulable), func(order []int) {
			tasks := make([]int, len(order))
			for i, o := range order {
				tasks[i] = schedulable[o]
			}
			sum += e.raposDraw(c, tasks[:1:1], tasks[1:])
			n++
		})
		return sum / n
	})
}

// raposDraw decides about the others, in order.
func (e *enumerator) raposDraw(c config, batch, others []int) float64 {
	for k, i := range others {
		independent := true
		for _, j := range batch {
			independent = independent && !sched.Dependent(c.pending(i), c.pending(j))
		}
		if independent {
			with := append(slices.Clone(batch), i)
			return e.raposDraw(c, with, others[k+1:])/2 + e.raposDraw(c, batch, others[k+1:])/2
		}
	}
	return e.raposBatch(c, batch)
}

func (e *enumerator) raposBatch(c config, batch []int) float64 {
	var executed []*sched.Op
	before := c.enabled()
	after := c
	for _, i := range batch {
		executed = append(executed, c.pending(i))
		after = after.step(i)
	}
	var schedulable []int
	for _, i := range after.enabled() {
		depends := slices.Contains(batch, i) || !slices.Contains(before, i)
		for _, op := range executed {
			depends = depends || sched.Dependent(op, after.pending(i))
		}
		if depends {
			schedulable = append(schedulable, i)
		}
	}
	return e.rapos(after, schedulable)
}

// pos: the pending events have independent uniform priorities, of which only the order
// matters. A new value falls with the same probability into each gap between all values
// drawn so far. order lists the tasks by priority, highest first, with -1 for a value
// that was drawn before; draw lists the tasks that have no priority yet.
func (e *enumerator) pos(c config, order, draw []int) float64 {
	return e.once(fmt.Sprint(c.key(), order, draw), func() float64 {
		if len(draw) > 0 {
			sum := 0.0
			for gap := range len(order) + 1 {
				sum += e.pos(c, slices.Insert(slices.Clone(order), gap, draw[0]), draw[1:])
			}
			return sum / float64(len(order)+1)
		}
		enabled := c.enabled()
		if len(enabled) == 0 {
			return e.end(c)
		}
		next := -1
		for _, i := range order {
			if slices.Contains(enabled, i) {
				next = i
				break
			}
		}
		order = slices.Clone(order)
		forget := func(i int) {
			order[slices.Index(order, i)] = -1
			draw = append(draw, i)
		}
		for i := range c.p {
			if i != next && c.next[i] < len(c.p[i]) && sched.Dependent(c.pending(i), c.pending(next)) {
				forget(i)
			}
		}
		after := c.step(next)
		if forget(next); after.next[next] == len(c.p[next]) {
			draw = draw[:len(draw)-1]
		}
		if len(draw) == 0 && len(enabled) == 1 {
			return e.random(after) // one task is left
		}
		return e.pos(after, order, draw)
	})
}

// exact returns the probability of the event under the named strategy.
func (e *experiment) exact(name string) float64 {
	en := &enumerator{event: e.event, memo: map[string]float64{}}
	c := e.start()
	all := make([]int, len(e.program))
	for i := range all {
		all[i] = i
	}
	switch base, params, _ := strings.Cut(name, ":"); base {
	case "random":
		return en.random(c)
	case "urw":
		return en.urw(c)
	case "surw":
		return en.surw(c)
	case "rapos":
		return en.rapos(c, all)
	case "pos":
		return en.pos(c, nil, all)
	case "pct":
		var o Options
		if err := o.set(params, "dk"); err != nil {
			panic(err)
		}
		return en.pct(c, o.Depth, max(1, o.Length))
	}
	panic(name)
}

// certified returns the strategies whose probabilities are certified on e; pct with k
// the number of steps of the program, as in the paper.
func (e *experiment) certified() []string {
	k := 0
	for i := range e.program {
		k += e.program.steps(i, 0)
	}
	names := []string{"random", "rapos", "pos", "urw", "pct:d=1", fmt.Sprintf("pct:d=2:k=%d", k), fmt.Sprintf("pct:d=3:k=%d", k)}
	if e.onlyX() {
		names = append(names, "surw")
	}
	return names
}

// onlyX reports whether x is the only object that several goroutines use, the one that
// looks at the results included.
func (e *experiment) onlyX() bool {
	for _, ops := range e.program {
		for _, op := range ops {
			if op.Object == y || op.Object == mu || op.Kind == sched.AtomicLoad && ops[len(ops)-1].Object != x {
				return false // the last operation hands over what was read
			}
		}
	}
	return true
}

const probabilitiesFile = "../../testdata/sampler/probabilities.txt"

// readProbabilities returns the table: by experiment and strategy.
func readProbabilities(t *testing.T) map[string]float64 {
	f, err := os.Open(probabilitiesFile)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	table := map[string]float64{}
	for s := bufio.NewScanner(f); s.Scan(); {
		fields := strings.Fields(s.Text())
		if len(fields) != 3 || fields[0] == "#" {
			continue
		}
		if table[fields[0]+" "+fields[1]], err = strconv.ParseFloat(fields[2], 64); err != nil {
			t.Fatal(err)
		}
	}
	return table
}

// TestExact enumerates the probabilities of the table.
func TestExact(t *testing.T) {
	var b strings.Builder
	b.WriteString("# Probabilities of the events of the programs in this directory, by strategy, computed\n# by runner/strategy, TestExact, by going through all random choices of each strategy.\n# go test ./runner/strategy -run TestExact -update rewrites them.\n\n")
	got := map[string]float64{}
	for _, e := range experiments {
		for _, s := range e.certified() {
			p := e.exact(s)
			got[e.name+" "+s] = p
			fmt.Fprintf(&b, "%-15s %-12s %.9f\n", e.name, s, p)
		}
	}
	if *update {
		if err := os.WriteFile(probabilitiesFile, []byte(b.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want := readProbabilities(t)
	for key, p := range got {
		if math.Abs(p-want[key]) > 1e-9 {
			t.Errorf("%s: %.9f, in the table %.9f", key, p, want[key])
		}
	}
	// What the papers and the design notes say.
	for key, p := range map[string]float64{
		"Figure1of1 random": 1. / 4, "Figure1of3 random": 1. / 16, "Figure1of10 random": 1. / 2048,
		"Figure1of1 rapos": 1. / 4, "Figure1of3 rapos": 1. / 4, "Figure1of10 rapos": 1. / 4,
		"Figure1of1 pos": 1. / 3, "Figure1of3 pos": 1. / 5, "Figure1of10 pos": 1. / 12,
		"Figure1of1 urw": 1. / 3, "Figure1of3 urw": 1. / 5, "Figure1of10 urw": 1. / 12,
		"Figure1of1 pct:d=1": 1. / 2, "Figure1of3 pct:d=1": 1. / 2, "Figure1of10 pct:d=1": 1. / 2,
		"LostUpdate random": 1. / 2, "LostUpdate pos": 1. / 3, "LostUpdate rapos": 1. / 2, "LostUpdate urw": 2. / 3,
		"LostUpdate pct:d=1": 0, "LostUpdate pct:d=2:k=4": 1. / 4, "LostUpdate pct:d=3:k=4": 7. / 16,
	} {
		if math.Abs(want[key]-p) > 1e-9 {
			t.Errorf("%s: %.9f in the table, %.9f in the papers", key, want[key], p)
		}
	}
}
