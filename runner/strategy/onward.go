package strategy

import "github.com/coopvet/coop/runner/sched"

// Onward brings a trial to its end without looking for anything: each task goes on for as
// long as it can. A task that may only wait for another one, see patience, passes the turn
// to the next; so whatever can end does.
type Onward struct {
	fair patience
	turn sched.TaskID // whose turn it was when patience was last at an end
}

// Begin implements sched.Strategy.
func (o *Onward) Begin(sched.TrialInfo) { *o = Onward{} }

// Pick implements sched.Strategy.
func (o *Onward) Pick(enabled []*sched.Task, last sched.TaskID) sched.TaskID {
	return o.pick(enabled, last).ID
}

func (o *Onward) pick(enabled []*sched.Task, last sched.TaskID) *sched.Task {
	t := stay(enabled, last)
	if len(enabled) > 1 && o.fair.spent(t.Pending.Kind) {
		t = following(enabled, o.turn)
		o.turn = t.ID
	}
	return t
}

// following returns the first task after that with the given ID, and after the last one the first.
func following(enabled []*sched.Task, id sched.TaskID) *sched.Task {
	for _, t := range enabled {
		if t.ID > id {
			return t
		}
	}
	return enabled[0]
}
