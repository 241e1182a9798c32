package conductor

import "github.com/coopvet/coop/runner/sched"

// orders is the listener that tells the partial orders of a job's trials apart. It is
// attached on demand: it costs as much as half a step.
type orders struct {
	c          *conductor
	order      sched.PartialOrder
	parentless uint64 // tasks of the trial so far that no task has started
	choices    int    // points of the trial at which at least two tasks were enabled

	result sched.Orders
	index  map[uint64]int // in result.Counts, by hash
}

func newOrders(c *conductor) *orders {
	return &orders{c: c, index: map[uint64]int{}, result: sched.Orders{Counts: []sched.OrderCount{}}}
}

// Events implements sched.Listener.
func (o *orders) Events() sched.EventMask {
	return sched.Mask(sched.TrialBegin, sched.Performed, sched.Released, sched.Spawned, sched.Woken)
}

// Event implements sched.Listener.
func (o *orders) Event(kind sched.EventKind, t *sched.Task, op *sched.Op, _ sched.Control) {
	switch kind {
	case sched.TrialBegin:
		o.order.Begin()
		o.parentless, o.choices = 0, 0
	case sched.Performed:
		if o.c.able() > 1 {
			o.choices++
		}
		o.event(t, op)
	case sched.Released:
		o.event(t, op)
	case sched.Spawned:
		identity := t.Path
		if t.Parent == sched.NoTask { // its path is a number in the order of creation
			identity = o.parentless
			o.parentless++
		}
		o.order.Spawn(t.ID, identity, t.Parent)
	case sched.Woken:
		o.order.Wake(t.ID, o.waker(t))
	}
}

func (o *orders) event(t *sched.Task, op *sched.Op) {
	o.order.Event(t.ID, o.c.sites.hash(op.Site)^uint64(op.Kind)<<56, op)
}

// chose notes which of several cases the strategy has taken in a select, as an event of its own. Where
// the case follows from the trial's random numbers, it shows in what the task does next.
func (o *orders) chose(k sched.Choice) {
	o.order.Event(k.Task, sched.Mix(uint64(k.Case)^uint64(sched.Select)<<56), &sched.Op{})
}

// waker returns the task that has made t runnable, which may be the clock.
func (o *orders) waker(t *sched.Task) sched.TaskID {
	if c := o.c; c.cur == nil && c.clockTask != nil && c.last == c.clockTask.ID {
		return c.last
	}
	return t.Waker
}

// count enters the trial that has just ended into the result.
func (o *orders) count(trial int) {
	r := &o.result
	r.Tasks = max(r.Tasks, len(o.c.tasks))
	r.Choices = max(r.Choices, o.choices)
	h := o.order.Hash()
	i, known := o.index[h]
	if !known {
		i = len(r.Counts)
		o.index[h] = i
		r.Counts = append(r.Counts, sched.OrderCount{Hash: h, First: trial})
	}
	r.Counts[i].Trials++
}
