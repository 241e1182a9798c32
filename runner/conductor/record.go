package conductor

import (
	"fmt"
	"slices"

	"github.com/coopvet/coop/runner/sched"
)

// recorder is the listener that writes down a traced trial.
type recorder struct {
	c       *conductor
	steps   []sched.Step
	omitted int // decisions whose steps are not in steps any more, after keepFirst of them
	labels  map[uintptr]string
	count   map[string]int
	owners  map[uintptr]sched.TaskID
	start   int64
}

func newRecorder(c *conductor) *recorder {
	return &recorder{c: c}
}

// Events implements sched.Listener.
func (r *recorder) Events() sched.EventMask {
	return sched.Mask(sched.TrialBegin, sched.Performed, sched.Released, sched.Blocked, sched.Spawned, sched.Exited)
}

// Event implements sched.Listener.
func (r *recorder) Event(kind sched.EventKind, t *sched.Task, op *sched.Op, c sched.Control) {
	switch kind {
	case sched.TrialBegin:
		r.steps, r.omitted = nil, 0
		r.labels = map[uintptr]string{}
		r.count = map[string]int{}
		r.owners = map[uintptr]sched.TaskID{}
		r.start, _ = clock()
	case sched.Performed:
		r.acquire(t, op)
		s := r.step(t, op)
		if r.c.tasks[t.ID].silent {
			s.Kind, s.Object, s.Addr = sched.Call.String(), "", 0
		}
		s.Enabled = r.c.able()
	case sched.Released:
		delete(r.owners, op.Object)
		r.step(t, op).Event = true
	case sched.Blocked:
		for i := len(r.steps) - 1; i >= 0; i-- {
			if s := &r.steps[i]; s.Task == t.ID && !s.Event {
				s.Blocked = true
				break
			}
		}
	case sched.Spawned:
		if parent := r.c.byID(t.Parent); parent != nil {
			t.Spawned = r.c.sites.goSite(r.c.tasks[t.ID].gopc)
			s := r.step(&parent.Task, &sched.Op{Kind: sched.Go, Site: t.Spawned})
			s.Event = true
			s.Object = taskName(r.c, t)
		}
	case sched.Exited:
		r.step(t, &sched.Op{Kind: sched.Exit}).Event = true
	}
}

func (r *recorder) step(t *sched.Task, op *sched.Op) *sched.Step {
	if len(r.steps) == keepFirst+2*keepLast {
		for _, s := range r.steps[keepFirst : keepFirst+keepLast] {
			if !s.Event {
				r.omitted++
			}
		}
		r.steps = slices.Delete(r.steps, keepFirst, keepFirst+keepLast)
	}
	now, _ := clock()
	r.steps = append(r.steps, sched.Step{
		Task: t.ID, Kind: op.Kind.String(), Site: r.c.sites.position(op.Site),
		Object: r.label(op.Kind, op.Object), Addr: uint64(op.Object), Now: now - r.start,
	})
	return &r.steps[len(r.steps)-1]
}

func (r *recorder) acquire(t *sched.Task, op *sched.Op) {
	switch op.Kind {
	case sched.Lock, sched.WLock, sched.RLock:
		r.owners[op.Object] = t.ID
	case sched.TryLock, sched.TryWLock:
		if syncEnabled(uint8(op.Kind-1), op.Object) {
			r.owners[op.Object] = t.ID
		}
	}
}

// holder returns the task that holds the lock at obj, NoTask if none does.
func (r *recorder) holder(obj uintptr) sched.TaskID {
	if id, ok := r.owners[obj]; ok {
		return id
	}
	return sched.NoTask
}

// label names an object by its sort and the order of first use.
func (r *recorder) label(k sched.Kind, obj uintptr) string {
	if obj == 0 {
		return ""
	}
	if l, ok := r.labels[obj]; ok {
		return l
	}
	sort := sortOf(k)
	r.count[sort]++
	l := fmt.Sprintf("%s %d", sort, r.count[sort])
	r.labels[obj] = l
	return l
}

func sortOf(k sched.Kind) string {
	switch {
	case k == sched.MapRead || k == sched.MapWrite:
		return "map"
	case k.IsMemory():
		return "memory"
	case k == sched.Lock || k == sched.TryLock || k == sched.Unlock:
		return "mutex"
	case sched.RLock <= k && k <= sched.WUnlock:
		return "rwmutex"
	case sched.Send <= k && k <= sched.Close || k == sched.ChanLen:
		return "chan"
	case k == sched.WaitGroupAdd || k == sched.WaitGroupWait:
		return "waitgroup"
	case sched.CondWait <= k && k <= sched.CondBroadcast:
		return "cond"
	}
	return k.String()
}

// Of a long trial, the steps that are kept: how it came to what it does, and at least so
// many of the last ones.
const (
	keepFirst = 1_000
	keepLast  = 5_000
)

// taskInfos describes the tasks of the trial.
func (c *conductor) taskInfos() []sched.TaskInfo {
	var list []sched.TaskInfo
	for _, t := range c.tasks {
		i := sched.TaskInfo{ID: t.ID, Name: taskName(c, &t.Task), Func: t.fn, Spawned: c.sites.positionOf(t.gopc)}
		list = append(list, i)
	}
	return list
}

// taskName is the spawn path: main, 1, 1.2; a timer's function or a goroutine that was
// there before the trial has no parent.
func taskName(c *conductor, t *sched.Task) string {
	parent := c.byID(t.Parent)
	switch {
	case t.ID == 0:
		return "main"
	case c.clockTask != nil && t.ID == c.clockTask.ID:
		return "clock"
	case parent == nil && c.tasks[t.ID].foreign:
		return fmt.Sprintf("before-test %d", t.ID)
	case parent == nil:
		return fmt.Sprintf("timer %d", t.ID)
	case parent.ID == 0:
		return fmt.Sprint(t.Child)
	}
	return fmt.Sprintf("%s.%d", taskName(c, &parent.Task), t.Child)
}
