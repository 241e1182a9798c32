package strategy

import (
	"fmt"

	"github.com/coopvet/coop/runner/sched"
)

// Replay follows a recorded schedule.
//
// A strict replay reports the first step at which the recorded task is not enabled. A
// loose one, for minimisation, skips it. Where the schedule does not say, tasks take turns if
// they are to, and otherwise the last one goes on as long as it can: in a loose replay as
// with Onward, so that a task that spins lets others go on.
type Replay struct {
	sched.Replay
	Divergence *sched.Divergence // of a strict replay

	next, step int
	picked     *sched.Task
	onward     Onward
}

// Begin starts the schedule over.
func (r *Replay) Begin(sched.TrialInfo) {
	r.next, r.step, r.picked, r.onward = 0, 0, nil, Onward{}
	r.Divergence = nil
}

// Pick implements sched.Strategy.
func (r *Replay) Pick(enabled []*sched.Task, last sched.TaskID) sched.TaskID {
	r.picked = r.pick(enabled, last)
	return r.picked.ID
}

// Choose implements sched.Chooser.
func (r *Replay) Choose(n int) int {
	for _, c := range r.Choices {
		if r.picked != nil && c.Task == r.picked.ID && c.Step == r.picked.Steps {
			return min(int(c.Case), n-1)
		}
	}
	return -1
}

func (r *Replay) pick(enabled []*sched.Task, last sched.TaskID) *sched.Task {
	step := r.step
	r.step++
	for r.next < len(r.Decisions) && r.Divergence == nil {
		id := r.Decisions[r.next]
		if t := find(enabled, id); t != nil {
			r.next++
			return t
		}
		if !r.Loose {
			r.Divergence = &sched.Divergence{Step: step, Reason: fmt.Sprintf("task %d should go on, but it is not enabled; enabled are %v", id, ids(enabled))}
			break
		}
		r.next++
	}
	switch {
	case r.Turns:
		return following(enabled, last)
	case r.Loose:
		return r.onward.pick(enabled, last)
	}
	return stay(enabled, last)
}

// Free reports whether there is no schedule to follow: each task runs for as long as it can.
func (r *Replay) Free() bool { return r.Loose && !r.Turns && len(r.Decisions) == 0 }

// Left returns the number of decisions that are still to be followed.
func (r *Replay) Left() int {
	if r.Divergence != nil {
		return 0
	}
	return len(r.Decisions) - r.next
}

// Complete reports whether the whole schedule was followed.
func (r *Replay) Complete() bool { return r.Divergence == nil && r.next == len(r.Decisions) }

func ids(tasks []*sched.Task) []sched.TaskID {
	list := make([]sched.TaskID, len(tasks))
	for i, t := range tasks {
		list[i] = t.ID
	}
	return list
}
