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
// draws.
type pos struct {
	rand  *sched.Rand
	queue queue
	index conflicts
	fair  patience
}

func (p *pos) Begin(info sched.TrialInfo) {
	p.rand = info.Rand
	p.queue.reset()
	p.index.reset()
	p.fair = patience{}
}

func (p *pos) Enabled(t *sched.Task) {
	p.queue.set(t.ID, p.rand.Uint64())
	p.queue.add(t)
	p.index.add(t)
}

func (p *pos) Disabled(t *sched.Task) {
	p.queue.remove(t.ID)
	p.index.remove(t.ID)
}

func (p *pos) Pick(enabled []*sched.Task, last sched.TaskID) sched.TaskID {
	if p.queue.has(last) { // with its next event, unless it has become enabled just now
		t := p.queue.tasks[last]
		p.index.remove(last)
		p.index.add(t)
		p.queue.set(last, p.rand.Uint64())
	}
	if len(enabled) == 1 {
		return enabled[0].ID
	}
	t := p.queue.top()
	if p.fair.spent(t.Pending.Kind) {
		for _, u := range enabled {
			p.queue.set(u.ID, p.rand.Uint64())
		}
		return t.ID
	}
	for id := p.index.first(t); id != sched.NoTask; id = p.index.next(id) {
		if id != t.ID && sched.Dependent(&t.Pending, &p.queue.tasks[id].Pending) {
			p.queue.set(id, p.rand.Uint64())
		}
	}
	return t.ID
}
