package strategy

import (
	"slices"

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
