package strategy

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/coopvet/coop/runner/sched"
)

var dfsPrograms = flag.Int("dfs", 300, "random programs of each sort in TestDFSBruteForce")

// class identifies the partial order of the execution, by definition: each event with
// the set of those that happen before it.
func (m *machine) class() string {
	n := len(m.log)
	hb := make([][]bool, n)
	var lines []string
	for i := range n {
		hb[i] = make([]bool, n)
		for k := range i {
			if m.dependent(&m.log[k], &m.log[i]) {
				hb[i][k] = true
				for l := range k {
					hb[i][l] = hb[i][l] || hb[k][l]
				}
			}
		}
		var preds []string
		for k := range i {
			if hb[i][k] {
				preds = append(preds, fmt.Sprint(m.log[k].task, ".", m.log[k].index))
			}
		}
		slices.Sort(preds)
		e := &m.log[i]
		lines = append(lines, fmt.Sprint(e.task, ".", e.index, " ", e.op, " ", e.value, e.took, preds))
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

func (m *machine) dependent(a, b *mstep) bool {
	if a.task == b.task || slices.Contains(a.joined, b.task) || slices.Contains(b.joined, a.task) {
		return true
	}
	for _, p := range a.touched {
		for _, q := range b.touched {
			if p.obj == q.obj && sched.Conflict(p.kind, q.kind) {
				return true
			}
		}
	}
	return false
}

// brute is the search without reduction: every choice at every step.
type brute struct {
	stack []brutal
	at    int
	done  bool
}

type brutal struct{ n, i int }

func (b *brute) Begin(sched.TrialInfo) { b.at = 0 }
func (b *brute) End(int, sched.FailureKind) {
	for len(b.stack) > 0 {
		t := &b.stack[len(b.stack)-1]
		if t.i++; t.i < t.n {
			return
		}
		b.stack = b.stack[:len(b.stack)-1]
	}
	b.done = true
}

func (b *brute) Choose(n int) int {
	if b.at == len(b.stack) {
		b.stack = append(b.stack, brutal{n, 0})
	}
	b.at++
	return b.stack[b.at-1].i
}

func (b *brute) Pick(enabled []*sched.Task, _ sched.TaskID) sched.TaskID {
	return enabled[b.Choose(len(enabled))].ID
}

// classes returns the classes of a program by brute force, false if there are too many
// executions.
func (m *machine) classes(limit int) (map[string]bool, bool) {
	b := &brute{}
	all := map[string]bool{}
	for i := 0; !b.done; i++ {
		if i == limit {
			return nil, false
		}
		m.run(b)
		all[m.class()] = true
	}
	return all, true
}

// search explores a program with dfs and returns how often each class was executed.
func (m *machine) search(t *testing.T, limit int) (map[string]int, *dfs) {
	d := newDFS()
	seen := map[string]int{}
	for i := 0; !d.search.Done; i++ {
		if i == limit {
			t.Fatalf("the search does not end:\n%s", m)
		}
		before := d.search.Redundant
		m.run(d)
		if d.search.Redundant == before {
			seen[m.class()]++
		}
	}
	return seen, d
}

func (m *machine) String() string {
	var b strings.Builder
	for i, c := range m.code {
		fmt.Fprintf(&b, "task %d:", i)
		for _, in := range c {
			fmt.Fprintf(&b, " %s(%d%v n%d s%d)", in.op, in.obj, in.objs, in.n, in.skip)
		}
		fmt.Fprintln(&b)
	}
	return b.String()
}

// randomProgram starts tasks that do what is chosen from ops.
func randomProgram(r *rand.Rand, ops []instr, tasks, length int) *machine {
	m := &machine{caps: map[int]int{20: 1}}
	var root []instr
	for i := range tasks {
		root = append(root, instr{op: sched.Go, n: i + 1})
	}
	m.code = append(m.code, root)
	for i := range tasks {
		var code []instr
		type lock struct {
			in instr
			at int
		}
		var held []lock
		for range 1 + r.IntN(length) {
			in := ops[r.IntN(len(ops))]
			code = append(code, in)
			if len(code) > 1 && in.op.IsMemory() && r.IntN(3) == 0 {
				code[len(code)-2].skip = 1 // of this access, depending on what came before
			}
			switch in.op {
			case sched.Lock:
				held = append(held, lock{instr{op: sched.Unlock, obj: in.obj}, len(code)})
			case sched.RLock:
				held = append(held, lock{instr{op: sched.RUnlock, obj: in.obj}, len(code)})
			case sched.WLock:
				held = append(held, lock{instr{op: sched.WUnlock, obj: in.obj}, len(code)})
			case sched.WaitGroupAdd:
				held = append(held, lock{instr{op: sched.WaitGroupAdd, obj: in.obj, n: -1}, len(code)})
			case sched.TryLock:
				code[len(code)-1].skip = 2
				code = append(code, ops[0], instr{op: sched.Unlock, obj: in.obj})
			}
			if len(held) > 0 && r.IntN(2) == 0 {
				if in.op == sched.AtomicLoad && r.IntN(2) == 0 {
					code[len(code)-1].skip = 1 // never released, perhaps
				}
				code = append(code, held[len(held)-1].in)
				held = held[:len(held)-1]
			}
		}
		for _, h := range slices.Backward(held) {
			code = append(code, h.in)
		}
		if i > 0 && r.IntN(3) == 0 { // started by the task before
			m.code[0] = slices.DeleteFunc(m.code[0], func(in instr) bool { return in.n == i+1 })
			prev := m.code[i]
			at := r.IntN(len(prev) + 1)
			for at < len(prev) && slices.ContainsFunc(prev[:at], func(in instr) bool { return in.op == sched.TryLock }) {
				at++ // not where it would be skipped
			}
			m.code[i] = slices.Insert(prev, at, instr{op: sched.Go, n: i + 1})
		}
		m.code = append(m.code, code)
	}
	return m
}

var randomOps = map[string][]instr{
	"memory": {
		{op: sched.AtomicLoad, obj: 1}, {op: sched.AtomicStore, obj: 1, n: 1}, {op: sched.AtomicRMW, obj: 1, n: 1},
		{op: sched.AtomicLoad, obj: 2}, {op: sched.AtomicStore, obj: 2, n: 1}, {op: sched.AtomicStore, obj: 3, n: 2},
	},
	"locks": {
		{op: sched.AtomicLoad, obj: 1}, {op: sched.AtomicStore, obj: 1, n: 1},
		{op: sched.Lock, obj: 10}, {op: sched.Lock, obj: 11}, {op: sched.TryLock, obj: 10},
	},
	"rwlocks": {
		{op: sched.AtomicLoad, obj: 1}, {op: sched.AtomicStore, obj: 1, n: 1},
		{op: sched.RLock, obj: 10}, {op: sched.WLock, obj: 10}, {op: sched.Lock, obj: 11},
	},
	"channels": {
		{op: sched.AtomicLoad, obj: 1}, {op: sched.AtomicStore, obj: 1, n: 1},
		{op: sched.Send, obj: 20, n: 1}, {op: sched.Recv, obj: 20}, {op: sched.Send, obj: 21, n: 2}, {op: sched.Recv, obj: 21},
		{op: sched.Select, objs: []int{20, 21}},
	},
	"waitgroups": {
		{op: sched.AtomicStore, obj: 1, n: 1}, {op: sched.AtomicLoad, obj: 1},
		{op: sched.WaitGroupAdd, obj: 30, n: 1}, {op: sched.WaitGroupWait, obj: 30},
	},
	"all": {
		{op: sched.AtomicLoad, obj: 1}, {op: sched.AtomicStore, obj: 1, n: 1}, {op: sched.AtomicRMW, obj: 2, n: 1},
		{op: sched.Lock, obj: 10}, {op: sched.Send, obj: 20, n: 1}, {op: sched.Recv, obj: 20}, {op: sched.Recv, obj: 21},
		{op: sched.Send, obj: 21, n: 1}, {op: sched.Select, objs: []int{20, 21}}, {op: sched.TryLock, obj: 10},
		{op: sched.RLock, obj: 12}, {op: sched.WLock, obj: 12}, {op: sched.Gosched},
	},
}

// dfsSeeds are programs that have shown faults which few programs show: operations that
// commute unless a task has parked, and events whose footprint the wakeup tree guessed wrongly.
var dfsSeeds = map[string][]uint64{"rwlocks": {669, 1644}, "waitgroups": {199}, "locks": {2736}}

// TestDFSBruteForce compares the search with all interleavings of random programs.
func TestDFSBruteForce(t *testing.T) {
	for name, ops := range randomOps {
		t.Run(name, func(t *testing.T) {
			programs, redundant, total := 0, 0, 0
			seeds := slices.Clone(dfsSeeds[name])
			for seed := range uint64(*dfsPrograms) {
				seeds = append(seeds, seed)
			}
			for _, seed := range seeds {
				r := rand.New(rand.NewPCG(seed, uint64(len(ops))))
				m := randomProgram(r, ops, 2+r.IntN(2), 3)
				want, ok := m.classes(20_000)
				if !ok {
					continue
				}
				programs++
				got, d := m.search(t, 100_000)
				for c := range want {
					if got[c] == 0 {
						t.Fatalf("seed %d: the search misses one of %d classes (it has %d):\n%s\n%s", seed, len(want), len(got), m, c)
					}
				}
				for c, n := range got {
					if !want[c] || n != 1 {
						t.Fatalf("seed %d: a class is explored %d times, is one: %v:\n%s\n%s", seed, n, want[c], m, c)
					}
				}
				if d.search.Explored != len(want) || len(d.search.Unknown) > 0 {
					t.Fatalf("seed %d: %+v, want %d classes\n%s", seed, d.search, len(want), m)
				}
				if name == "memory" && d.search.Redundant > 0 {
					t.Fatalf("seed %d: %d redundant executions of a program without locks:\n%s", seed, d.search.Redundant, m)
				}
				if d.wakeups.used != 0 {
					t.Fatalf("seed %d: %d nodes of wakeup trees are left\n%s", seed, d.wakeups.used, m)
				}
				total += len(want)
				redundant += d.search.Redundant
			}
			t.Logf("%d programs, %d classes, %d redundant executions", programs, total, redundant)
		})
	}
}
