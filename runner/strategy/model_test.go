package strategy

import "github.com/coopvet/coop/runner/sched"

// program is a model of a concurrent program: the operations of each task. Unlock is no
// step, it happens right after the step before it, as in the conductor.
type program [][]sched.Op

// state is how far the tasks of a program have come.
type state struct {
	p    program
	next []int
	held []uintptr // locks
}

func (p program) start() state { return state{p: p, next: make([]int, len(p))} }

// enabled returns the tasks that can make a step, in order.
func (s state) enabled() []int {
	var list []int
	for i, ops := range s.p {
		if s.next[i] < len(ops) && s.can(&ops[s.next[i]]) {
			list = append(list, i)
		}
	}
	return list
}

func (s state) can(op *sched.Op) bool {
	for _, h := range s.held {
		if op.Kind == sched.Lock && op.Object == h {
			return false
		}
	}
	return op.Kind != sched.Recv || s.next[op.Object-turnOf] >= int(op.Delta)
}

func (s state) pending(i int) *sched.Op { return &s.p[i][s.next[i]] }

// step returns the state after a step of task i.
func (s state) step(i int) state {
	next := append([]int(nil), s.next...)
	held := append([]uintptr(nil), s.held...)
	if op := s.pending(i); op.Kind == sched.Lock {
		held = append(held, op.Object)
	}
	for next[i]++; next[i] < len(s.p[i]) && s.p[i][next[i]].Kind == sched.Unlock; next[i]++ {
		for k, h := range held {
			if h == s.p[i][next[i]].Object {
				held = append(held[:k], held[k+1:]...)
				break
			}
		}
	}
	return state{s.p, next, held}
}

// steps counts the steps of task i from its k-th operation on.
func (p program) steps(i, k int) int {
	n := 0
	for _, op := range p[i][k:] {
		if op.Kind != sched.Unlock {
			n++
		}
	}
	return n
}

// run performs p under s and returns the order in which tasks made their steps. Trial
// sched.PilotTrial shows p to strategies that learn.
func (p program) run(s sched.Strategy, trial int) []sched.TaskID {
	seed := sched.TrialSeed(1, "program", trial)
	r := sched.NewRand(seed)
	s.Begin(sched.TrialInfo{Trial: trial, Seed: seed, Rand: &r})
	tasks := make([]sched.Task, len(p))
	for i := range tasks {
		tasks[i] = sched.Task{ID: sched.TaskID(i), Parent: sched.NoTask, Path: uint64(i + 1)}
	}
	watcher, _ := s.(sched.Watcher)
	was := make([]bool, len(p))
	var order []sched.TaskID
	last := sched.NoTask
	for st := p.start(); ; {
		is := make([]bool, len(p))
		var enabled []*sched.Task
		for _, i := range st.enabled() {
			is[i] = true
			tasks[i].Pending = *st.pending(i)
			tasks[i].Pending.Site = sched.Site(100*i + st.next[i] + 1)
			enabled = append(enabled, &tasks[i])
		}
		for i := range p {
			if watcher != nil && was[i] && !is[i] {
				watcher.Disabled(&tasks[i])
			} else if watcher != nil && is[i] && !was[i] {
				watcher.Enabled(&tasks[i])
			}
		}
		if was = is; len(enabled) == 0 {
			break
		}
		last = s.Pick(enabled, last)
		st = st.step(int(last))
		tasks[last].Steps++
		order = append(order, last)
	}
	if e, ok := s.(sched.TrialEnder); ok {
		e.End(len(order), sched.FailNone)
	}
	return order
}

func read(x uintptr) sched.Op   { return sched.Op{Kind: sched.AtomicLoad, Object: x, Size: 1} }
func write(x uintptr) sched.Op  { return sched.Op{Kind: sched.AtomicStore, Object: x, Size: 1} }
func lock(x uintptr) sched.Op   { return sched.Op{Kind: sched.Lock, Object: x} }
func unlock(x uintptr) sched.Op { return sched.Op{Kind: sched.Unlock, Object: x} }

// after is an operation that waits until task i has performed its first n ones.
func after(i, n int) sched.Op {
	return sched.Op{Kind: sched.Recv, Object: turnOf + uintptr(i), Delta: int16(n)}
}

// Objects of programs. Those from private on belong to one task alone.
const (
	x uintptr = 1 + iota
	y
	mu
	private uintptr = 100
	turnOf  uintptr = 1_000_000 // plus the number of a task, see after
)

// figure1 is the program of RAPOS's figure 1: task 0 makes m accesses to objects of its
// own and writes x, task 1 writes x.
func figure1(m int) program {
	var t []sched.Op
	for i := range m {
		t = append(t, write(private+10*uintptr(i)))
	}
	return program{append(t, write(x)), {write(x)}}
}

// lostUpdate is two tasks that read and then write one variable.
var lostUpdate = program{{read(x), write(x)}, {read(x), write(x)}}
