package strategy

import "github.com/coopvet/coop/runner/sched"

// lockstep lets all tasks go forward together: first those that start the others, until
// they wait, then of the enabled tasks the one that has performed the fewest steps, ties
// and a lead of up to a few steps left to chance. It is our own, for bugs that need all of
// many tasks at one place, such as the deadlock of n philosophers who all hold their left
// fork: among the schedules that random walks draw these are exponentially rare in n.
//
// Fairness: who is enabled and behind will run; when patience is spent with those that are to go
// first, choices are uniform for a while, see turns.
type lockstep struct {
	rand  *sched.Rand
	queue queue
	fair  turns
	lead  int // steps that chance may put a task ahead, in this trial
}

// maxLead is the number of leads, 0, 1, 3, 7, ..., that a trial draws from.
const maxLead = 4

func (l *lockstep) Begin(info sched.TrialInfo) {
	l.rand = info.Rand
	l.queue.reset()
	l.fair = turns{}
	l.lead = 1 << l.rand.IntN(maxLead)
}

func (l *lockstep) Enabled(t *sched.Task) {
	l.queue.set(t.ID, l.key(t))
	l.queue.add(t)
}

func (l *lockstep) Disabled(t *sched.Task) { l.queue.remove(t.ID) }

// key orders tasks by their distance from the root, then by steps, then at random.
func (l *lockstep) key(t *sched.Task) uint64 {
	ahead := uint64(t.Steps) + uint64(l.rand.IntN(l.lead))
	return ^(uint64(min(t.Depth, 1<<8-1))<<56 | ahead<<24 | l.rand.Uint64()>>40)
}

func (l *lockstep) Pick(enabled []*sched.Task, last sched.TaskID) sched.TaskID {
	if l.queue.has(last) {
		l.queue.set(last, l.key(l.queue.tasks[last]))
	}
	if len(enabled) == 1 {
		return enabled[0].ID
	}
	t := l.queue.top()
	if l.fair.fair(t.Pending.Kind) {
		return enabled[l.rand.IntN(len(enabled))].ID
	}
	return t.ID
}
