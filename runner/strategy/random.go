package strategy

import "github.com/coopvet/coop/runner/sched"

// random is the random walk: at every step one uniform choice among the enabled
// tasks. It is fair with probability 1.
//
// With a switch probability p below 1 it is the scheduling function of RStest
// (Stoller, RV 2002, section 2): the running task goes on with probability 1-p.
type random struct {
	p    float64
	rand *sched.Rand
}

func (r *random) Begin(info sched.TrialInfo) { r.rand = info.Rand }

func (r *random) Pick(enabled []*sched.Task, last sched.TaskID) sched.TaskID {
	if r.p > 0 && r.p < 1 && r.rand.Float64() >= r.p && find(enabled, last) != nil {
		return last
	}
	if len(enabled) == 1 {
		return enabled[0].ID
	}
	return enabled[r.rand.IntN(len(enabled))].ID
}
