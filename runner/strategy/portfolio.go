package strategy

import "github.com/coopvet/coop/runner/sched"

// portfolio deals the trials over several strategies, because none is best for all
// bugs: surw and urw find what needs a rare order of few operations among many, lockstep what needs all
// tasks at one place, pct what needs few changes at distant places, and pos knows
// nothing of the program that could be wrong. What one learns, the others are told.
//
// The shares are those with the lowest geometric mean of trials to the bug over
// testdata/kernels, see cmd/cooprun, TestKernels, rounded such that no kind is left out.
type portfolio struct {
	pct  *pct
	surw *surw            // runs the pilot
	deal []sched.Strategy // by trial, modulo its length

	active  sched.Strategy
	watcher sched.Watcher // active, if it is one
	pilot   bool
	choices int // points with at least two enabled tasks in this trial
}

func newPortfolio() *portfolio {
	c := new(census)
	p := &portfolio{pct: &pct{}, surw: newSURW(c)}
	lockstep := &lockstep{}
	p.deal = []sched.Strategy{p.surw, lockstep, p.pct, newURW(c), &pos{}, p.surw, lockstep, p.pct}
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
		p.active = p.deal[info.Trial%len(p.deal)]
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
