package sched

import (
	"testing"
)

// modelEvent is an operation of a model program, with what else happens at it.
type modelEvent struct {
	op    Op
	spawn int // this task starts after the event; 0: none
	wakes int // this task, which waits after its first event, goes on after the event; -1: none
}

// modelProgram is straight-line code for each task. Task 0 is there from the start, as are
// those that nobody spawns.
type modelProgram [][]modelEvent

// randomProgram has three or four tasks on objects that overlap in every way.
func randomProgram(r *Rand) modelProgram {
	memory := func() Op {
		op := Op{Kind: Read, Object: uintptr(100 + r.IntN(6)), Size: uintptr(1 + r.IntN(9))}
		switch r.IntN(8) {
		case 0:
			op.Object, op.Size = 64, 2*wideBytes
		case 1:
			op.Object, op.Size = 72, wideBytes+8
		}
		if r.Bool() {
			op.Kind = Write
		}
		return op
	}
	others := []Op{
		{Kind: Lock, Object: 104}, {Kind: Unlock, Object: 104}, {Kind: Send, Object: 5000}, {Kind: ChanLen, Object: 5000},
		{Kind: Select, More: []uintptr{5000, 0, 5008}}, {Kind: Select, More: []uintptr{5008, 5008}}, {Kind: Recv, Object: 5008},
		{Kind: WaitGroupAdd, Object: 2000}, {Kind: WaitGroupAdd, Object: 2000}, {Kind: WaitGroupWait, Object: 2000}, {Kind: Gosched},
	}
	sizes := [][]int{{3, 3, 3}, {2, 2, 2, 1}, {4, 4}, {5, 2}, {2, 3, 2}}[r.IntN(5)]
	p := make(modelProgram, len(sizes))
	for t, n := range sizes {
		for range n {
			e := modelEvent{op: memory(), wakes: -1}
			if r.IntN(2) == 0 {
				e.op = others[r.IntN(len(others))]
			}
			p[t] = append(p[t], e)
		}
	}
	if len(p) > 2 && r.Bool() {
		p[0][0].spawn = 2
	}
	if len(p) > 1 && r.Bool() {
		p[0][len(p[0])-1].wakes = 1
	}
	return p
}

// executions calls f for every interleaving, each a list of tasks.
func (p modelProgram) executions(f func([]int)) {
	done := make([]int, len(p))
	var trace []int
	total := 0
	for _, t := range p {
		total += len(t)
	}
	var extend func()
	extend = func() {
		if len(trace) == total {
			f(trace)
		}
		for t := range p {
			if !p.enabled(t, done) {
				continue
			}
			done[t]++
			trace = append(trace, t)
			extend()
			trace = trace[:len(trace)-1]
			done[t]--
		}
	}
	extend()
}

// enabled reports whether t can perform its next event after the first done ones of each
// task.
func (p modelProgram) enabled(t int, done []int) bool {
	if done[t] == len(p[t]) {
		return false
	}
	for u := range p {
		for i, e := range p[u] {
			happened := i < done[u]
			if e.spawn == t && t != 0 && !happened {
				return false
			}
			if e.wakes == t && done[t] >= 1 && !happened {
				return false
			}
			if u == t && i == done[t] && e.wakes >= 0 && done[e.wakes] == 0 {
				return false // nobody waits yet
			}
		}
	}
	return true
}

// hash runs PartialOrder over an execution. The addresses are moved by shift.
func (p modelProgram) hash(o *PartialOrder, trace []int, shift uintptr) uint64 {
	o.Begin()
	spawned := map[int]bool{}
	for _, t := range p {
		for _, e := range t {
			spawned[e.spawn] = e.spawn != 0
		}
	}
	for t := range p {
		if !spawned[t] {
			o.Spawn(TaskID(t), uint64(t), NoTask)
		}
	}
	done := make([]int, len(p))
	for _, t := range trace {
		e := p[t][done[t]]
		done[t]++
		op := e.op
		if op.Object != 0 {
			op.Object += shift
		}
		op.More = nil
		for _, c := range e.op.More {
			if c != 0 {
				c += shift
			}
			op.More = append(op.More, c)
		}
		o.Event(TaskID(t), uint64(op.Kind), &op)
		if e.spawn != 0 {
			o.Spawn(TaskID(e.spawn), uint64(e.spawn), TaskID(t))
		}
		if e.wakes >= 0 {
			o.Wake(TaskID(e.wakes), TaskID(t))
		}
	}
	return o.Hash()
}

// canonical is the partial order by definition: for each pair of dependent events of
// different tasks, which comes first.
func (p modelProgram) canonical(trace []int) string {
	var key []byte
	at := make([][]int, len(p))
	for i, t := range trace {
		at[t] = append(at[t], i)
	}
	for t := range p {
		for u := range t {
			for i := range p[t] {
				for j := range p[u] {
					if !Dependent(&p[t][i].op, &p[u][j].op) {
						continue
					}
					if at[t][i] < at[u][j] {
						key = append(key, '<')
					} else {
						key = append(key, '>')
					}
				}
			}
		}
	}
	return string(key)
}

// TestPartialOrder compares the hash with the definition, for all interleavings of random
// programs.
func TestPartialOrder(t *testing.T) {
	r := NewRand(1)
	var o PartialOrder
	total, classes := 0, 0
	for range 1000 {
		p := randomProgram(&r)
		hashes := map[string]uint64{}
		orders := map[uint64]string{}
		p.executions(func(trace []int) {
			total++
			key := p.canonical(trace)
			h := p.hash(&o, trace, uintptr(16*r.IntN(1000)))
			if known, ok := hashes[key]; ok && known != h {
				t.Fatalf("program %+v: execution %v has another hash than its equal", p, trace)
			}
			if known, ok := orders[h]; ok && known != key {
				t.Fatalf("program %+v: execution %v has the hash of another partial order", p, trace)
			}
			hashes[key], orders[h] = h, key
		})
		classes += len(hashes)
	}
	t.Logf("%d executions, %d partial orders", total, classes)
	if classes < 10_000 || total < 10*classes {
		t.Errorf("the programs are too simple: %d executions, %d partial orders", total, classes)
	}
}

// What the operations are matters, too, not only their order.
func TestPartialOrderLabels(t *testing.T) {
	hash := func(f func(o *PartialOrder)) uint64 {
		var o PartialOrder
		o.Begin()
		o.Spawn(0, 1, NoTask)
		f(&o)
		return o.Hash()
	}
	op := Op{Kind: Write, Object: 8, Size: 8}
	variants := []func(o *PartialOrder){
		func(o *PartialOrder) {},
		func(o *PartialOrder) { o.Event(0, 1, &op) },
		func(o *PartialOrder) { o.Event(0, 2, &op) },
		func(o *PartialOrder) { o.Event(0, 1, &op); o.Event(0, 1, &op) },
		func(o *PartialOrder) { o.Event(0, 1, &op); o.Event(0, 2, &op) },
		func(o *PartialOrder) { o.Event(0, 2, &op); o.Event(0, 1, &op) },
		func(o *PartialOrder) { o.Spawn(1, 5, 0); o.Event(1, 1, &op) },
		func(o *PartialOrder) { o.Spawn(1, 6, 0); o.Event(1, 1, &op) },
		func(o *PartialOrder) { o.Spawn(1, 5, 0); o.Wake(1, 0); o.Event(1, 1, &op) },
		func(o *PartialOrder) { o.Spawn(1, 5, 0); o.Wake(1, NoTask); o.Event(1, 1, &op) },
	}
	seen := map[uint64]int{}
	for i, f := range variants {
		h := hash(f)
		if j, ok := seen[h]; ok {
			t.Errorf("variants %d and %d have the same hash", i, j)
		}
		seen[h] = i
	}
}

func TestPartialOrderAllocates(t *testing.T) {
	var o PartialOrder
	trial := func() {
		o.Begin()
		for task := range TaskID(8) {
			o.Spawn(task, uint64(task), task-1)
		}
		for i := range 5000 {
			op := Op{Kind: Write, Object: uintptr(8 * (i % 1500)), Size: 12}
			o.Event(TaskID(i%8), 1, &op)
		}
	}
	trial()
	if n := testing.AllocsPerRun(10, trial); n > 0 {
		t.Errorf("%v allocations in a trial", n)
	}
}

func BenchmarkPartialOrder(b *testing.B) {
	var o PartialOrder
	o.Begin()
	for task := range TaskID(8) {
		o.Spawn(task, uint64(task), NoTask)
	}
	ops := make([]Op, 64)
	for i := range ops {
		ops[i] = Op{Kind: Kind(int(Read) + i%2), Object: uintptr(0xc000_0000 + 8*i), Size: 8}
	}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		o.Event(TaskID(i%8), 1, &ops[i%64])
	}
}
