package detect

import "github.com/coopvet/coop/runner/sched"

// vclock is a vector clock: how much of each task, by TaskID, has happened before.
type vclock []uint32

func (v *vclock) join(o vclock) {
	for len(*v) < len(o) {
		*v = append(*v, 0)
	}
	for i, n := range o {
		if (*v)[i] < n {
			(*v)[i] = n
		}
	}
}

// order is the happens-before relation of a trial, as the Go memory model defines it,
// by vector clocks (Mattern; Flanagan and Freund, FastTrack, PLDI 2009). Where the
// events do not tell enough it orders more than the memory model does, never less:
//
//   - a receive happens after all sends on the channel that were performed before it,
//     not only after its own, and likewise a send after receives;
//   - a select is taken for a send and a receive on each of its channels;
//   - an atomic operation happens after all earlier stores to the variable;
//   - who is woken happens after all that the waker has done and, if the clock or the
//     network woke it, after all that has happened; so does a timer's function;
//   - operations inside the standard library synchronise fully on their object.
//
// A relation without locks is the part of it that no schedule changes by who takes a
// lock first.
type order struct {
	unlocked bool             // locks order nothing
	onces    map[uintptr]bool // locks inside a sync.Once, which order in any case
	tasks    []clocked
	objects  map[uintptr]int32
	clocks   []syncObject
	used     int32 // of clocks
}

// clocked is a task with its time.
type clocked struct {
	now   vclock
	kind  sched.Kind // of the last operation, for when it is woken
	chans []uintptr  // its objects
}

// syncObject is what has been released into a lock, channel or the like: by senders,
// writers and those who are done, and by receivers and readers.
type syncObject struct{ write, read vclock }

// maxOrdered is the number of tasks of a trial up to which order is kept: the clocks
// take space in proportion to its square.
const maxOrdered = 2000

func (o *order) begin() {
	if o.objects == nil {
		o.objects, o.onces = make(map[uintptr]int32), make(map[uintptr]bool)
	}
	clear(o.objects)
	clear(o.onces)
	o.tasks = o.tasks[:0]
	o.used = 0
}

// full reports that there are too many tasks: then nothing is known of their order.
func (o *order) full() bool { return len(o.tasks) > maxOrdered }

// spawn starts a task. Without a parent everything has happened before.
func (o *order) spawn(id, parent sched.TaskID) {
	for int(id) >= len(o.tasks) {
		if len(o.tasks) < cap(o.tasks) {
			o.tasks = o.tasks[:len(o.tasks)+1]
		} else {
			o.tasks = append(o.tasks, clocked{})
		}
		t := &o.tasks[len(o.tasks)-1]
		t.now, t.chans, t.kind = t.now[:0], t.chans[:0], sched.None
	}
	if o.full() {
		return
	}
	o.after(id, parent)
	t := &o.tasks[id]
	for len(t.now) <= int(id) {
		t.now = append(t.now, 0)
	}
	t.now[id]++
}

// after orders what id does from now on behind what by has done; by is NoTask for all.
func (o *order) after(id, by sched.TaskID) {
	if o.full() || by == id {
		return
	}
	if by != sched.NoTask {
		o.tasks[id].now.join(o.tasks[by].now)
		o.tick(by)
		return
	}
	for i := range o.tasks {
		if sched.TaskID(i) != id && len(o.tasks[i].now) > 0 {
			o.tasks[id].now.join(o.tasks[i].now)
			o.tick(sched.TaskID(i))
		}
	}
}

// tick begins a new time of a task: what follows is not part of what it has released.
func (o *order) tick(id sched.TaskID) { o.tasks[id].now[id]++ }

// time returns a task's own time.
func (o *order) time(id sched.TaskID) uint32 {
	if o.full() {
		return 0
	}
	return o.tasks[id].now[id]
}

// before reports whether what task a did at its time happens before what b does now.
func (o *order) before(a sched.TaskID, time uint32, b sched.TaskID) bool {
	if a == b || o.full() {
		return true
	}
	now := o.tasks[b].now
	return int(a) < len(now) && time <= now[a]
}

func (o *order) object(obj uintptr) *syncObject {
	i, ok := o.objects[obj]
	if !ok {
		i = o.used
		o.used++
		if int(i) == len(o.clocks) {
			o.clocks = append(o.clocks, syncObject{})
		}
		o.clocks[i].write, o.clocks[i].read = o.clocks[i].write[:0], o.clocks[i].read[:0]
		o.objects[obj] = i
	}
	return &o.clocks[i]
}

// perform takes note of an operation that is no access to plain memory.
func (o *order) perform(id sched.TaskID, op *sched.Op) {
	t := &o.tasks[id]
	t.kind = op.Kind
	t.chans = append(t.chans[:0], op.More...)
	if len(t.chans) == 0 && op.Object != 0 {
		t.chans = append(t.chans, op.Object)
	}
	if o.full() {
		return
	}
	for _, obj := range t.chans {
		o.acquire(id, op.Kind, obj)
	}
	released := false
	for _, obj := range t.chans {
		released = o.release(id, op.Kind, obj) || released
	}
	if released {
		o.tick(id)
	}
}

// wake takes note that by, NoTask if no task, has woken id, whose last operation has
// come to its end.
func (o *order) wake(id, by sched.TaskID) {
	if o.full() {
		return
	}
	o.after(id, by)
	t := &o.tasks[id]
	for _, obj := range t.chans {
		o.acquire(id, t.kind, obj)
	}
}

// once takes note that a task calls Do of the sync.Once whose lock is obj.
func (o *order) once(id sched.TaskID, obj uintptr) {
	if !o.full() {
		o.onces[obj] = true
		o.acquire(id, sched.Lock, obj)
	}
}

// ignores reports whether an operation is one on a lock that orders nothing.
func (o *order) ignores(k sched.Kind, obj uintptr) bool {
	return o.unlocked && sched.Lock <= k && k <= sched.WUnlock && !o.onces[obj]
}

// acquire orders id behind what has been released into obj.
func (o *order) acquire(id sched.TaskID, k sched.Kind, obj uintptr) {
	if o.ignores(k, obj) {
		return
	}
	s, now := o.object(obj), &o.tasks[id].now
	switch k {
	case sched.Send:
		now.join(s.read)
	case sched.Recv, sched.RLock, sched.TryRLock, sched.WaitGroupWait, sched.AtomicLoad:
		now.join(s.write)
	case sched.Lock, sched.TryLock, sched.WLock, sched.TryWLock, sched.Select, sched.SelectDefault, sched.AtomicRMW,
		sched.OnceDo, sched.PoolOp, sched.MapOp:
		now.join(s.write)
		now.join(s.read)
	}
}

// release puts what id has done into obj. It reports whether the operation releases.
func (o *order) release(id sched.TaskID, k sched.Kind, obj uintptr) bool {
	if o.ignores(k, obj) {
		return false
	}
	s, now := o.object(obj), o.tasks[id].now
	switch k {
	case sched.Send, sched.Close, sched.Unlock, sched.WUnlock, sched.WaitGroupAdd, sched.AtomicStore, sched.AtomicRMW,
		sched.OnceDo, sched.PoolOp, sched.MapOp:
		s.write.join(now)
	case sched.Recv, sched.RUnlock:
		s.read.join(now)
	case sched.Select, sched.SelectDefault:
		s.write.join(now)
		s.read.join(now)
	default:
		return false
	}
	return true
}
