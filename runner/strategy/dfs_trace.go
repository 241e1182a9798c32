package strategy

import "github.com/coopvet/coop/runner/sched"

// trace is the execution that is under way, as the search sees it: events, the objects
// that each has touched, and happens-before.
//
// An event is one step: the operation that the task announced, and everything that
// happens before the next choice. That is more than the operation: unlocking, Done, what
// the standard library does inside, and what the tasks do that the step starts or wakes,
// up to their next scheduling points. All of it is the event's footprint. An event that
// wakes a task also counts as writing what that task waits for: of all that could wake
// it, one does. For the same reason operations that otherwise commute, RUnlock and Add,
// count as writing a lock or a WaitGroup for which a task has parked.
//
// Two events are dependent if they belong to the same task, if one starts or wakes the
// other's task, or if their footprints touch one object in conflicting ways, see
// sched.Conflict. Happens-before is the transitive closure of dependence in the order of
// execution. When the virtual clock moves because nothing else can go on, or that of a
// bubble of testing/synctest, everything before happens before everything after.
type trace struct {
	objects  []object // in order of appearance: equal prefixes of executions number them alike
	cells    cells
	accesses []access
	events   []action
	tasks    []traceTask // by index, see tasksOf
	byID     []int32     // index by TaskID
	arena    ints
	open     bool    // the last event is under way
	joined   []int32 // tasks that the open event has started or woken
	base     []int32 // clock of what is before everything: the last move of the virtual clock
	conflict []int32 // events, scratch
	world    bool    // timers are events: they depend on everything
}

// object is memory, a lock, a channel, ..., by address and size.
type object struct {
	addr, size uintptr
	next       int32 // next object of the cell that holds addr
	held       int32 // exclusive holders and those who wait for it inside the library, or a WaitGroup's counter
	readers    int32
	parked     int32 // tasks that have parked and wait for it
}

// world is the object that only timers write, if they are events.
const world = 0

// access is one object in an event's footprint.
type access struct {
	obj   int32
	kind  sched.Kind
	delta int32 // what it adds to object.held
	event int32 // -2-k: after event k, in no event
	prev  int32 // previous access in the cell
}

// action is an event: a step of a task.
type action struct {
	task       int32
	index      int32 // from 1, within the task
	kind       sched.Kind
	choice     int16   // of a select: which of the cases that were ready; -1 if there was no choice
	first, end int32   // footprint: accesses[first:end], cells apart
	main       int32   // of the operation itself: accesses[first:main]
	past       []int32 // clock of the task before the event
	clock      []int32 // vector clock: how many events of each task happen before it, itself included
	races      []int32 // events that it is in a race with, latest first
}

type traceTask struct {
	known   bool
	id      sched.TaskID
	clock   []int32
	count   int32
	pending bool // it has announced op and objs
	kind    sched.Kind
	delta   int32
	objs    []int32
	waits   []int32 // what it waits for if it has parked
	parked  bool
}

// ints allocates slices of int32 that all die together.
type ints struct{ buf []int32 }

func (a *ints) reset() { a.buf = a.buf[:0] }

func (a *ints) make(n int) []int32 {
	if cap(a.buf)-len(a.buf) < n {
		a.buf = make([]int32, 0, max(2*cap(a.buf), n, 1024)) // what is in use keeps the old one
	}
	i := len(a.buf)
	a.buf = a.buf[:i+n]
	return a.buf[i : i+n : i+n]
}

func (a *ints) copy(s []int32) []int32 {
	c := a.make(len(s))
	copy(c, s)
	return c
}

// cells finds objects and accesses by address: a hash table from machine words.
type cells struct {
	slots []cell
	used  int
	epoch uint32
}

type cell struct {
	key     uintptr
	epoch   uint32
	access  int32 // the latest, -1 if none
	objects int32 // first object, -1 if none
}

const cellShift = 3

func (c *cells) reset() {
	c.used = 0
	if c.epoch++; c.epoch == 0 || c.slots == nil {
		c.slots = make([]cell, max(64, len(c.slots)))
		c.epoch = 1
	}
}

func (c *cells) find(key uintptr) *cell {
	mask := uintptr(len(c.slots) - 1)
	for i := uintptr(uint64(key)*0x9e3779b97f4a7c15>>20) & mask; ; i = (i + 1) & mask {
		s := &c.slots[i]
		if s.epoch != c.epoch {
			if 2*c.used >= len(c.slots) {
				c.grow()
				return c.find(key)
			}
			c.used++
			*s = cell{key, c.epoch, -1, -1}
			return s
		}
		if s.key == key {
			return s
		}
	}
}

func (c *cells) grow() {
	old, epoch := c.slots, c.epoch
	c.slots = make([]cell, 2*len(old))
	c.epoch, c.used = 1, 0
	for _, s := range old {
		if s.epoch == epoch {
			*c.find(s.key) = cell{s.key, 1, s.access, s.objects}
		}
	}
}

func (tr *trace) reset() {
	tr.objects = append(tr.objects[:0], object{}) // world
	tr.cells.reset()
	tr.accesses = tr.accesses[:0]
	tr.events = tr.events[:0]
	tr.byID = tr.byID[:0]
	tr.arena.reset()
	tr.open = false
	clear(tr.base)
	for i := range tr.tasks {
		t := &tr.tasks[i]
		*t = traceTask{clock: t.clock, objs: t.objs[:0], waits: t.waits[:0]}
	}
}

// spawned takes note of a new task with the given index.
func (tr *trace) spawned(id sched.TaskID, index int32) {
	for int(index) >= len(tr.tasks) {
		tr.tasks = append(tr.tasks, traceTask{})
	}
	for int(id) >= len(tr.byID) {
		tr.byID = append(tr.byID, -1)
	}
	tr.byID[id] = index
	t := &tr.tasks[index]
	t.known, t.id, t.count, t.pending = true, id, 0, false
	t.clock = append(t.clock[:0], tr.base...)
	tr.join(index)
}

// join makes a task part of the open event.
func (tr *trace) join(index int32) {
	if tr.open {
		tr.joined = append(tr.joined, index)
	}
}

// announced takes note of a task's pending operation.
func (tr *trace) announced(index int32, op *sched.Op) {
	t := &tr.tasks[index]
	t.pending, t.kind, t.delta = true, op.Kind, int32(op.Delta)
	t.objs = t.objs[:0]
	if len(op.More) > 0 {
		for _, c := range op.More {
			if c != 0 {
				t.objs = append(t.objs, tr.intern(c, 0))
			}
		}
	} else if op.Object != 0 {
		t.objs = append(t.objs, tr.intern(op.Object, op.Size))
	}
}

// begin starts the event in which a task performs its pending operation.
func (tr *trace) begin(index int32) {
	t := &tr.tasks[index]
	n := int32(len(tr.accesses))
	tr.events = append(tr.events, action{task: index, kind: t.kind, choice: -1, first: n, past: tr.arena.copy(t.clock)})
	tr.open, t.pending = true, false
	tr.joined = tr.joined[:0]
	tr.operate(t)
	tr.events[len(tr.events)-1].main = int32(len(tr.accesses))
	t.waits = append(t.waits[:0], t.objs...)
}

// operate adds the accesses of t's pending operation to the open event.
func (tr *trace) operate(t *traceTask) {
	if tr.world {
		kind := sched.Start // a read
		if t.kind == sched.TimerFire {
			kind = sched.TimerFire
		}
		tr.touch(world, kind, 0)
	}
	for _, o := range t.objs {
		tr.touch(o, t.kind, t.delta)
	}
}

// effect takes note of an operation of a running task that was no scheduling point.
func (tr *trace) effect(index int32, op *sched.Op) {
	if op.Object != 0 {
		o := tr.intern(op.Object, 0)
		tr.touch(o, op.Kind, int32(op.Delta))
		t := &tr.tasks[index]
		t.waits = append(t.waits[:0], o)
	}
}

// blocked takes note that a task has parked.
func (tr *trace) blocked(index int32) {
	t := &tr.tasks[index]
	for _, o := range t.waits {
		tr.objects[o].parked++
	}
	t.parked = true
}

// woken takes note that the open event, or the clock, has woken a task.
func (tr *trace) woken(index int32) {
	t := &tr.tasks[index]
	for _, o := range t.waits {
		if t.parked {
			tr.objects[o].parked--
		}
		tr.touch(o, sched.Resume, 0)
	}
	t.parked = false
	tr.join(index)
}

// touch adds an access to the open event.
func (tr *trace) touch(obj int32, kind sched.Kind, delta int32) {
	o := &tr.objects[obj]
	switch kind {
	case sched.Lock, sched.WLock:
		delta = 1
	case sched.Unlock, sched.WUnlock:
		delta = -1
	case sched.RLock:
		o.readers++
	case sched.RUnlock:
		o.readers--
	case sched.TryRLock:
		if o.held == 0 {
			o.readers++
		}
	case sched.TryLock, sched.TryWLock:
		if o.held == 0 && (o.readers == 0 || kind == sched.TryLock) {
			delta = 1
		}
	}
	o.held += delta
	if o.parked > 0 && (kind == sched.RUnlock || kind == sched.WaitGroupAdd) {
		kind = sched.Resume
	}
	a := access{obj: obj, kind: kind, delta: delta, event: int32(len(tr.events)) - 1}
	if !tr.open {
		a.event = -1 - int32(len(tr.events))
		a.prev = -1
		tr.link(a)
		return
	}
	tr.accesses = append(tr.accesses, a) // linked when the event is complete
}

// link enters an access into the cells of its object. An access to several words has a
// copy for each of the words behind the first.
func (tr *trace) link(a access) {
	i := int32(len(tr.accesses))
	tr.accesses = append(tr.accesses, a)
	tr.chain(i)
}

func (tr *trace) chain(i int32) {
	o := &tr.objects[tr.accesses[i].obj]
	lo, hi := o.words()
	c := tr.cells.find(lo)
	tr.accesses[i].prev, c.access = c.access, i
	for w := lo + 1; w <= hi; w++ {
		a := tr.accesses[i]
		c := tr.cells.find(w)
		a.prev, c.access = c.access, int32(len(tr.accesses))
		tr.accesses = append(tr.accesses, a)
	}
}

func (o *object) words() (lo, hi uintptr) {
	return o.addr >> cellShift, (o.addr + max(o.size, 1) - 1) >> cellShift
}

// intern returns the number of an object, a new one if it has not appeared before.
func (tr *trace) intern(addr, size uintptr) int32 {
	c := tr.cells.find(addr >> cellShift)
	for o := c.objects; o >= 0; o = tr.objects[o].next {
		if tr.objects[o].addr == addr && tr.objects[o].size == size {
			return o
		}
	}
	n := int32(len(tr.objects))
	tr.objects = append(tr.objects, object{addr: addr, size: size, next: c.objects})
	c.objects = n
	return n
}

// touches reports whether objects a and b overlap, as sched.Dependent understands it.
func (tr *trace) touches(a, b int32) bool {
	if a == b {
		return true
	}
	p, q := &tr.objects[a], &tr.objects[b]
	return p.addr == q.addr && p.addr != 0 || p.addr < q.addr+q.size && q.addr < p.addr+p.size
}

// close completes the open event: all that belongs to it is known.
func (tr *trace) close() {
	if !tr.open {
		return
	}
	tr.open = false
	n := int32(len(tr.events)) - 1
	e := &tr.events[n]
	t := &tr.tasks[e.task]
	e.end = int32(len(tr.accesses))
	t.count++
	e.index = t.count
	clock := tr.arena.make(len(tr.tasks))
	clear(clock[copy(clock, e.past):]) // tasks that are newer than what the task knows of
	tr.conflict = tr.conflict[:0]
	for i := e.first; i < e.end; i++ {
		tr.conflicts(&tr.accesses[i], n)
	}
	e.races = tr.races(e.past, clock)
	for _, j := range tr.joined {
		merge(clock, tr.tasks[j].clock)
	}
	clock[e.task] = e.index
	e.clock = clock
	t.clock = append(t.clock[:0], clock...)
	for _, j := range tr.joined {
		tr.tasks[j].clock = append(tr.tasks[j].clock[:0], clock...)
	}
	for i := e.first; i < e.end; i++ {
		tr.chain(i)
	}
}

// conflicts adds the events before n with which an access conflicts to tr.conflict,
// except those that happen before others of them because these write the same object.
func (tr *trace) conflicts(a *access, n int32) {
	own := *a // accesses may grow
	lo, hi := tr.objects[own.obj].words()
	for w := lo; w <= hi; w++ {
		for i := tr.cells.find(w).access; i >= 0; i = tr.accesses[i].prev {
			b := &tr.accesses[i]
			if !sched.Conflict(own.kind, b.kind) || !tr.touches(own.obj, b.obj) {
				continue
			}
			if b.event >= 0 && b.event != n {
				tr.conflict = append(tr.conflict, b.event)
			}
			if b.obj == own.obj && b.kind.Writes() && b.kind != sched.WaitGroupAdd {
				break
			}
		}
	}
}

// races returns those of tr.conflict that happen neither before past nor before another
// of them, latest first, and merges them into clock.
func (tr *trace) races(past, clock []int32) []int32 {
	c := tr.conflict
	for i := 1; i < len(c); i++ { // by insertion: they are few
		for k := i; k > 0 && c[k-1] < c[k]; k-- {
			c[k-1], c[k] = c[k], c[k-1]
		}
	}
	n := 0
	for _, x := range c {
		if e := &tr.events[x]; at(clock, e.task) < e.index {
			merge(clock, e.clock)
			c[n] = x
			n++
		}
	}
	return tr.arena.copy(c[:n])
}

// ticked takes note that the virtual clock has moved because nothing could go on.
func (tr *trace) ticked() {
	tr.close()
	for len(tr.base) < len(tr.tasks) {
		tr.base = append(tr.base, 0)
	}
	for i := range tr.tasks {
		tr.base[i] = tr.tasks[i].count
	}
	for i := range tr.tasks {
		tr.tasks[i].clock = append(tr.tasks[i].clock[:0], tr.base...)
	}
}

// waiting reports whether a task has announced an operation that it has not begun.
func (tr *trace) waiting() bool {
	for i := range tr.tasks {
		if tr.tasks[i].known && tr.tasks[i].pending {
			return true
		}
	}
	return false
}

// before reports whether event x happens before event y, or is y.
func (tr *trace) before(x, y int32) bool {
	e := &tr.events[x]
	return at(tr.events[y].clock, e.task) >= e.index
}

// footprint returns the accesses of event x.
func (tr *trace) footprint(x int32) []access {
	e := &tr.events[x]
	return tr.accesses[e.first:e.end]
}

// at returns a component of a clock, which may be older than the task.
func at(clock []int32, task int32) int32 {
	if int(task) < len(clock) {
		return clock[task]
	}
	return 0
}

// merge raises clock to the maximum with other, which is not longer.
func merge(clock, other []int32) {
	for i, v := range other {
		if v > clock[i] {
			clock[i] = v
		}
	}
}
