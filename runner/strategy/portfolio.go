package strategy

import "github.com/coopvet/coop/runner/sched"

// portfolio deals the trials over several strategies, because none is best for all
// bugs: random and rapos find what many schedules have in common, pos what depends on an
// order of few operations, pct what needs few changes at distant places, surw what needs
// a rare order of the operations on one object. What one learns of the program, the others are told.
type portfolio struct {
	members []sched.Strategy
	deal    []int // by trial, modulo its length: the member whose turn it is
	pct     *pct  // one of members
	surw    *surw // another one

	active  sched.Strategy
	watcher sched.Watcher // active, if it is one
	pilot   bool
	choices int // points with at least two enabled tasks in this trial
}

func newPortfolio() *portfolio {
	p := &portfolio{pct: &pct{}, surw: &surw{}}
	p.members = []sched.Strategy{&pos{}, p.pct, p.surw, &rapos{}}
	p.deal = []int{0, 1, 2, 3}
	return p
}

func (p *portfolio) Block() int { return learnBlock }

func (p *portfolio) Begin(info sched.TrialInfo) {
	p.choices = 0
	p.pilot = info.Trial == sched.PilotTrial
	switch {
	case p.pilot:
		p.active = p.surw
	default:
		p.active = p.members[p.deal[info.Trial%len(p.deal)]]
		if info.Trial%learnBlock == 0 {
			p.pct.forget()
		}
	}
	p.watcher, _ = p.active.(sched.Watcher)
	p.active.Begin(info)
}

func (p *portfolio) Enabled(t *sched.Task) {
	if p.watcher != nil {
		p.watcher.Enabled(t)
	}
}

func (p *portfolio) Disabled(t *sched.Task) {
	if p.watcher != nil {
		p.watcher.Disabled(t)
	}
}

func (p *portfolio) Pick(enabled []*sched.Task, last sched.TaskID) sched.TaskID {
	if len(enabled) > 1 {
		p.choices++
	}
	return p.active.Pick(enabled, last)
}

func (p *portfolio) End(steps int, failure sched.FailureKind) {
	if e, ok := p.active.(sched.TrialEnder); ok {
		e.End(steps, failure)
	}
	if p.active != p.pct {
		p.pct.learn(p.choices, p.pilot)
	}
}
