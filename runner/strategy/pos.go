package strategy

import "github.com/coopvet/coop/runner/sched"

// pos is partial order sampling: X. Yuan, J. Yang and R. Gu, Partial Order Aware
// Concurrency Sampling, CAV 2018, section 4.
//
// Every pending event has a priority, uniform in (0,1). The enabled event of highest
// priority is executed; the pending events that depend on it draw new priorities, and
// so does the task's next event.
//
// Departures: an event that is not enabled draws when it becomes so. It was disabled by
// an event that it depends on, which would have made it draw, and since then nobody has
// looked at its priority. Fairness: when patience is spent, all draw new priorities, so that
// the n enabled tasks have a chance of 1/n each.
//
// A step takes time logarithmic in the number of enabled tasks for each event that
// draws. With few tasks, looking at all of them is faster.
type pos struct {
	rand *sched.Rand
	fair patience

	key []uint64 // by task: the priority of its pending event

	// Without an index: the last event, which others may depend on that have not drawn since.
	done       sched.Op
	overwrites bool      // all operations on its object depend on it
	more       []uintptr // backing store of done.More

	indexed bool // queue and index are up to date; otherwise all is in key
	queue   queue
	index   conflicts
}

// Numbers of enabled tasks above which all are indexed, and below which they are not.
const (
	manyTasks = 128
	fewTasks  = 64
)

func (p *pos) Begin(info sched.TrialInfo) {
	p.rand = info.Rand
	p.fair = patience{}
	p.key = p.key[:0]
	p.indexed = false
	p.note(nil)
}

func (p *pos) Enabled(t *sched.Task) {
	for int(t.ID) >= len(p.key) {
		p.key = append(p.key, 0)
	}
	p.key[t.ID] = p.rand.Uint64()
	if p.indexed {
		p.enter(t)
	}
}

func (p *pos) Disabled(t *sched.Task) {
	if p.indexed {
		p.queue.remove(t.ID)
		p.index.remove(t.ID)
	}
}

func (p *pos) Pick(enabled []*sched.Task, last sched.TaskID) sched.TaskID {
	if len(enabled) == 1 { // the others draw when they are enabled
		p.note(nil)
		return enabled[0].ID
	}
	if p.indexed && len(enabled) < fewTasks {
		p.indexed = false
	} else if !p.indexed && len(enabled) > manyTasks {
		p.reindex(enabled)
	}
	var t *sched.Task
	if p.indexed {
		t = p.pickIndexed(last)
	} else {
		t = p.pickAmong(enabled, last)
	}
	if p.fair.spent(t.Pending.Kind) {
		for _, u := range enabled {
			p.draw(u.ID)
		}
	}
	return t.ID
}

// draw draws a priority for the pending event of an enabled task.
func (p *pos) draw(id sched.TaskID) {
	if p.key[id] = p.rand.Uint64(); p.indexed {
		p.queue.set(id, p.key[id])
	}
}

// pickAmong picks by looking at all tasks, once: the events that depend on the last one
// draw now. What the last task does next is a new event.
func (p *pos) pickAmong(enabled []*sched.Task, last sched.TaskID) *sched.Task {
	var t *sched.Task
	top := uint64(0)
	for _, u := range enabled {
		if u.ID == last || p.depends(&u.Pending) {
			p.key[u.ID] = p.rand.Uint64()
		}
		if k := p.key[u.ID]; k >= top {
			t, top = u, k
		}
	}
	p.note(&t.Pending)
	return t
}

// note keeps an event for those who are to draw because of it; nil: nobody is.
func (p *pos) note(op *sched.Op) {
	if op == nil {
		p.done, p.overwrites = sched.Op{}, false
		return
	}
	p.done = *op
	p.overwrites = op.Object != 0 && op.Kind.Writes() && op.Kind != sched.WaitGroupAdd
	if len(op.More) > 0 {
		p.more = append(p.more[:0], op.More...) // op.More is valid only while op is pending
		p.done.More = p.more
	}
}

// depends reports whether an operation of another task depends on the last one.
func (p *pos) depends(op *sched.Op) bool {
	if op.Object == p.done.Object && p.overwrites {
		return true
	}
	return !apart(&p.done, op) && sched.Dependent(&p.done, op)
}

// apart reports whether it is plain that operations touch different memory.
func apart(a, b *sched.Op) bool {
	d := b.Object - a.Object
	return d >= a.Size && -d >= b.Size && d != 0 && len(a.More)|len(b.More) == 0
}

// pickIndexed picks by queue and index.
func (p *pos) pickIndexed(last sched.TaskID) *sched.Task {
	if p.queue.has(last) { // with a new event
		p.index.remove(last)
		p.index.add(p.queue.tasks[last])
		p.draw(last)
	}
	t := p.queue.top()
	for id := p.index.first(t); id != sched.NoTask; id = p.index.next(id) {
		if id != t.ID && sched.Dependent(&t.Pending, &p.queue.tasks[id].Pending) {
			p.draw(id)
		}
	}
	return t
}

// enter enters an enabled task into queue and index.
func (p *pos) enter(t *sched.Task) {
	p.queue.set(t.ID, p.key[t.ID])
	p.queue.add(t)
	p.index.add(t)
}

func (p *pos) reindex(enabled []*sched.Task) {
	p.indexed = true
	p.queue.reset()
	p.index.reset()
	for _, t := range enabled {
		if p.depends(&t.Pending) {
			p.key[t.ID] = p.rand.Uint64()
		}
		p.enter(t)
	}
	p.note(nil)
}
