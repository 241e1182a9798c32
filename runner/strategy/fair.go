package strategy

import "github.com/coopvet/coop/runner/sched"

// A task that spins waits for another one, which a strategy with a memory may pass over
// for ever. patience tells such a strategy when to let the others have their turn: after
// pollLimit steps on end that only look at the state, and in any case after starveLimit
// steps, because a loop of failing compare-and-swaps looks like work. Both are beyond
// what the small programs need that strategies are certified with, so that what the
// papers prove holds for them without exception.
type patience struct{ steps, polls int }

const (
	pollLimit   = 64
	starveLimit = 1000
	yieldPolls  = 16 // what a call of runtime.Gosched counts for
)

// spent notes a step with operation k, at which others were enabled, too, and reports
// whether patience is at an end; then it starts anew.
func (p *patience) spent(k sched.Kind) bool {
	p.steps++
	switch k {
	case sched.Gosched, sched.Sleep:
		p.polls += yieldPolls
	case sched.Read, sched.MapRead, sched.AtomicLoad, sched.ChanLen, sched.SelectDefault, sched.TryLock, sched.TryRLock, sched.TryWLock:
		p.polls++
	case sched.Lock, sched.RLock, sched.WLock: // may be taken in order to look
	default:
		p.polls = 0
	}
	if p.polls < pollLimit && p.steps < starveLimit {
		return false
	}
	*p = patience{}
	return true
}

// turns is patience for a strategy that cannot be made to forget whom it passes over: when
// patience is at an end choices are to be fair for a while, twice as long each time. So a
// task gets its share at last, however many steps it needs.
type turns struct {
	patience
	left, span int
}

// fair notes a step that a strategy would take, with operation k, and reports whether the
// choice is to be uniform instead.
func (t *turns) fair(k sched.Kind) bool {
	if t.left == 0 && t.spent(k) {
		t.span = min(max(1, 2*t.span), starveLimit)
		t.left = t.span
	}
	if t.left == 0 {
		return false
	}
	t.left--
	return true
}

// stay returns the task that a run without preemption picks: the last one if it can go
// on, otherwise the oldest.
func stay(enabled []*sched.Task, last sched.TaskID) *sched.Task {
	if t := find(enabled, last); t != nil {
		return t
	}
	return enabled[0]
}
