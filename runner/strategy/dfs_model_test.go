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

// The machine is a model of the conductor and of Go's synchronisation, for the tests of
// the exhaustive search: tasks are lists of instructions on shared objects.

type instr struct {
	op   sched.Kind
	obj  int
	objs []int // of a select: channels to receive from
	n    int   // added, stored or sent; of Go: the task
	skip int   // instructions to skip if the value read is 0, or a TryLock fails
}

type machine struct {
	code [][]instr
	caps map[int]int // of channels

	tasks   []*mtask
	vals    map[int]int
	owner   map[int]int   // of locks: task+1
	readers map[int]int   // of locks
	writers map[int][]int // of locks: who waits for the readers to go
	queue   map[int][]mwait
	buf     map[int][]int
	log     []mstep
	s       sched.Strategy
	listen  sched.Listener
	runs    int // executions so far
}

type mwait struct{ task, value, dir int } // dir: 1 sends, 0 receives

type mtask struct {
	sched.Task
	code   []instr
	pc     int
	parked []int // objects
	done   bool
	pend   bool
}

// mstep is a step of an execution, with everything that has happened in it.
type mstep struct {
	task, index int
	op          sched.Kind
	touched     []mtouch
	joined      []int
	value, took int // what was read; the channel that a select took
}

type mtouch struct {
	obj  int
	kind sched.Kind
}

func isPoint(in *instr) bool {
	switch in.op {
	case sched.Unlock, sched.RUnlock, sched.WUnlock, sched.Go:
		return false
	case sched.WaitGroupAdd:
		return in.n > 0
	}
	return true
}

// run performs one execution under s.
func (m *machine) run(s sched.Strategy) {
	m.vals, m.owner, m.readers = map[int]int{}, map[int]int{}, map[int]int{}
	m.writers, m.queue, m.buf = map[int][]int{}, map[int][]mwait{}, map[int][]int{}
	m.tasks, m.log, m.s = nil, nil, s
	m.runs++
	m.listen, _ = s.(sched.Listener)
	r := sched.NewRand(1)
	s.Begin(sched.TrialInfo{Rand: &r})
	m.spawn(0, sched.NoTask)
	last := sched.NoTask
	steps := 0
	for {
		var enabled []*sched.Task
		for _, t := range m.tasks {
			if t.pend && m.enabled(t) {
				enabled = append(enabled, &t.Task)
			}
		}
		if len(enabled) == 0 {
			break
		}
		last = s.Pick(enabled, last)
		m.step(m.tasks[last])
		steps++
	}
	kind := sched.FailNone
	for _, t := range m.tasks {
		if !t.done {
			kind = sched.FailDeadlock
		}
	}
	s.(sched.TrialEnder).End(steps, kind)
}

func (m *machine) tell(kind sched.EventKind, t *mtask, op *sched.Op) {
	if m.listen != nil && m.listen.Events()&(1<<kind) != 0 {
		m.listen.Event(kind, &t.Task, op, nil)
	}
}

// addr returns the address of an object, which differs from execution to execution.
func (m *machine) addr(obj int) uintptr { return uintptr(0x10000*m.runs + 64*(obj^m.runs&7)) }

func (m *machine) spawn(code int, parent sched.TaskID) {
	t := &mtask{code: m.code[code]}
	t.ID, t.Parent = sched.TaskID(len(m.tasks)), parent
	t.Path = uint64(code + 1)
	m.tasks = append(m.tasks, t)
	if len(m.log) > 0 {
		e := &m.log[len(m.log)-1]
		e.joined = append(e.joined, code)
	}
	m.tell(sched.Spawned, t, nil)
	m.settle(t)
}

// settle runs t to its next scheduling point.
func (m *machine) settle(t *mtask) {
	for ; t.pc < len(t.code); t.pc++ {
		in := &t.code[t.pc]
		if isPoint(in) {
			break
		}
		m.effect(t, in)
	}
	if t.pc >= len(t.code) {
		t.done = true
		return
	}
	in := &t.code[t.pc]
	t.Pending = sched.Op{Kind: in.op, Object: m.addr(in.obj), Delta: int16(in.n)}
	if in.op.IsMemory() {
		t.Pending.Size = 8
	}
	if in.op != sched.WaitGroupAdd {
		t.Pending.Delta = 0
	}
	if in.op == sched.Gosched {
		t.Pending.Object = 0
	}
	if in.objs != nil {
		t.Pending.Object, t.Pending.More = 0, nil
		for _, c := range in.objs {
			t.Pending.More = append(t.Pending.More, m.addr(c))
		}
	}
	t.pend = true
	m.tell(sched.Announced, t, &t.Pending)
}

// effect performs an instruction that is no scheduling point.
func (m *machine) effect(t *mtask, in *instr) {
	if in.op == sched.Go {
		m.spawn(in.n, t.ID)
		return
	}
	if in.op == sched.RUnlock && len(m.writers[in.obj]) > 0 {
		m.touch(in.obj, sched.Resume)
	}
	m.touch(in.obj, in.op)
	m.tell(sched.Effect, t, &sched.Op{Kind: in.op, Object: m.addr(in.obj), Delta: int16(in.n)})
	switch in.op {
	case sched.Unlock, sched.WUnlock:
		m.owner[in.obj] = 0
	case sched.RUnlock:
		if m.readers[in.obj]--; m.readers[in.obj] == 0 {
			for _, w := range m.writers[in.obj] {
				defer m.wake(m.tasks[w], 0)
			}
			m.writers[in.obj] = nil
		}
	case sched.WaitGroupAdd:
		m.vals[in.obj] += in.n
	}
}

func (m *machine) touch(obj int, kind sched.Kind) {
	if len(m.log) > 0 {
		e := &m.log[len(m.log)-1]
		e.touched = append(e.touched, mtouch{obj, kind})
	}
}

func (m *machine) enabled(t *mtask) bool {
	in := &t.code[t.pc]
	switch in.op {
	case sched.Lock, sched.RLock, sched.WLock:
		return m.owner[in.obj] == 0
	case sched.WaitGroupWait:
		return m.vals[in.obj] == 0
	}
	return true
}

// wake makes a parked task go on with a value.
func (m *machine) wake(t *mtask, value int) {
	for _, o := range t.parked {
		m.touch(o, sched.Resume)
		m.queue[o] = slices.DeleteFunc(m.queue[o], func(w mwait) bool { return w.task == int(t.ID) })
	}
	t.parked = nil
	e := &m.log[len(m.log)-1]
	e.joined = append(e.joined, int(t.Path-1))
	m.tell(sched.Woken, t, nil)
	m.after(t, value)
}

func (m *machine) after(t *mtask, value int) {
	in := &t.code[t.pc]
	t.pc++
	if value == 0 {
		t.pc += in.skip
	}
	m.settle(t)
}

// step performs t's pending operation.
func (m *machine) step(t *mtask) {
	in := &t.code[t.pc]
	t.pend = false
	t.Steps++
	m.log = append(m.log, mstep{task: int(t.Path - 1), index: int(t.Steps), op: in.op})
	n := len(m.log) - 1
	if in.op != sched.Gosched && in.objs == nil {
		m.touch(in.obj, in.op)
	}
	for _, c := range in.objs {
		m.touch(c, in.op)
	}
	value := 1
	switch in.op {
	case sched.Read, sched.AtomicLoad:
		value = m.vals[in.obj]
	case sched.Write, sched.AtomicStore:
		m.vals[in.obj] = in.n
	case sched.AtomicRMW:
		m.vals[in.obj] += in.n
		value = m.vals[in.obj]
	case sched.WaitGroupAdd:
		m.vals[in.obj] += in.n
	case sched.TryLock:
		if m.owner[in.obj] != 0 {
			value = 0
		} else {
			m.owner[in.obj] = int(t.ID) + 1
		}
	case sched.Lock:
		m.owner[in.obj] = int(t.ID) + 1
	case sched.RLock:
		m.readers[in.obj]++
	case sched.WLock:
		m.owner[in.obj] = int(t.ID) + 1
		if m.readers[in.obj] > 0 {
			m.writers[in.obj] = append(m.writers[in.obj], int(t.ID))
			t.parked = []int{in.obj}
			m.tell(sched.Blocked, t, nil)
			return
		}
	case sched.Send:
		if !m.send(t, in) {
			m.tell(sched.Blocked, t, nil)
			return
		}
	case sched.Recv:
		v, ok := m.recv(t, in.obj)
		if !ok {
			m.park(t, in.obj)
			m.tell(sched.Blocked, t, nil)
			return
		}
		value = v
	case sched.Select:
		v, ok := m.choose(t, in)
		if !ok {
			for _, c := range in.objs {
				m.park(t, c)
			}
			m.tell(sched.Blocked, t, nil)
			return
		}
		value = v
	}
	m.log[n].value = value
	m.after(t, value)
}

func (m *machine) park(t *mtask, c int) {
	m.queue[c] = append(m.queue[c], mwait{task: int(t.ID)})
	t.parked = append(t.parked, c)
}

func (m *machine) send(t *mtask, in *instr) bool {
	c := in.obj
	if q := m.queue[c]; len(q) > 0 && q[0].dir == 0 {
		m.wake(m.tasks[q[0].task], in.n)
	} else if len(m.buf[c]) < m.caps[c] {
		m.buf[c] = append(m.buf[c], in.n)
	} else {
		m.queue[c] = append(q, mwait{int(t.ID), in.n, 1})
		t.parked = []int{c}
		return false
	}
	return true
}

func (m *machine) ready(c int) bool {
	q := m.queue[c]
	return len(m.buf[c]) > 0 || len(q) > 0 && q[0].dir == 1
}

func (m *machine) recv(t *mtask, c int) (int, bool) {
	if !m.ready(c) {
		return 0, false
	}
	b, q := m.buf[c], m.queue[c]
	var v int
	if len(b) > 0 {
		v, b = b[0], b[1:]
	}
	var sender *mtask
	if len(q) > 0 && q[0].dir == 1 {
		sender = m.tasks[q[0].task]
		b = append(slices.Clone(b), q[0].value)
		if m.caps[c] == 0 {
			v, b = b[0], nil
		}
	}
	m.buf[c] = b
	if sender != nil {
		m.wake(sender, 1)
	}
	return v, true
}

func (m *machine) choose(t *mtask, in *instr) (int, bool) {
	var ready []int
	for _, c := range in.objs {
		if m.ready(c) {
			ready = append(ready, c)
		}
	}
	if len(ready) == 0 {
		return 0, false
	}
	k := 0
	if len(ready) > 1 {
		k = max(0, m.s.(sched.Chooser).Choose(len(ready)))
	}
	m.log[len(m.log)-1].took = ready[k]
	return m.recv(t, ready[k])
}

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

var dfsPrograms = flag.Int("dfs", 300, "random programs of each sort in TestDFSBruteForce")
