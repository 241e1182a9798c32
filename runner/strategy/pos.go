package strategy

import "github.com/coopvet/coop/runner/sched"

// pos is partial order sampling: X. Yuan, J. Yang and R. Gu, Partial Order Aware
// Concurrency Sampling, CAV 2018, section 4.
//
// Every pending event has a priority, uniform in (0,1). The enabled event of highest
// priority is executed; the pending events that depend on it draw new priorities, and
// so does the task's next event.
//
// Departures: priorities are drawn when they matter, see crowd. An event that is not enabled
// draws when it becomes so: it was disabled by an event that it depends on, which would
// have made it draw, and since then nobody has looked at its priority. Fairness: when
// patience is spent, all draw new priorities, so that the n enabled tasks have a chance
// of 1/n each.
type pos struct {
	crowd crowd
	fair  patience
	out   *sched.Task // enabled, but not in crowd: it has performed its event
}

func (p *pos) Begin(info sched.TrialInfo) {
	p.crowd.reset(info.Rand)
	p.fair = patience{}
	p.out = nil
}

func (p *pos) Enabled(t *sched.Task) { p.crowd.enter(t) }

func (p *pos) Disabled(t *sched.Task) {
	if t == p.out {
		p.out = nil
	} else {
		p.crowd.remove(t.ID)
	}
}

func (p *pos) Pick(enabled []*sched.Task, last sched.TaskID) sched.TaskID {
	if len(enabled) == 1 {
		if p.out == nil {
			p.out = p.crowd.take()
		}
		return enabled[0].ID
	}
	if p.out != nil {
		p.crowd.enter(p.out)
	}
	t := p.crowd.take()
	p.out = t
	p.crowd.renew(&t.Pending)
	if p.fair.spent(t.Pending.Kind) {
		p.crowd.renewAll()
	}
	return t.ID
}
