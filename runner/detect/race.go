// Package detect holds the oracles: listeners of the conductor's events that say what
// is wrong with an execution. What only the end of a trial shows (failed test,
// deadlock, leak, livelock) the conductor reports itself.
package detect

import (
	"fmt"

	"github.com/coopvet/coop/runner/sched"
)

// Race reports a data race: two tasks whose pending operations touch the same memory,
// one of them writing, not both through sync/atomic. Both are enabled, so nothing
// orders the two accesses; there are no false alarms. It is the race detection of
// Cooperari and of CalFuzzer, in which a completed access meets a pending one, but
// looks one step ahead.
type Race struct {
	pending []*sched.Task // tasks about to access memory
}

// Events implements sched.Listener.
func (r *Race) Events() sched.EventMask {
	return sched.Mask(sched.TrialBegin, sched.Announced, sched.Performed)
}

// Event implements sched.Listener.
func (r *Race) Event(kind sched.EventKind, t *sched.Task, op *sched.Op, c sched.Control) {
	switch kind {
	case sched.TrialBegin:
		r.pending = r.pending[:0]
	case sched.Announced:
		if op.Kind.IsMemory() {
			r.announce(t, op, c)
		}
	case sched.Performed:
		if op.Kind.IsMemory() {
			r.perform(t)
		}
	}
}

func (r *Race) announce(t *sched.Task, op *sched.Op, c sched.Control) {
	for _, u := range r.pending {
		if races(op, &u.Pending) {
			c.Fail(failure(u, t, c))
			return
		}
	}
	r.pending = append(r.pending, t)
}

func (r *Race) perform(t *sched.Task) {
	for i, u := range r.pending {
		if u == t {
			last := len(r.pending) - 1
			r.pending[i] = r.pending[last]
			r.pending = r.pending[:last]
			return
		}
	}
}

func races(a, b *sched.Op) bool {
	return sched.Dependent(a, b) && !(a.Kind.IsAtomic() && b.Kind.IsAtomic())
}

func failure(a, b *sched.Task, c sched.Control) *sched.Failure {
	pa, pb := c.Position(a.Pending.Site), c.Position(b.Pending.Site)
	ka, kb := key(a.Pending.Kind, pa), key(b.Pending.Kind, pb)
	if kb < ka {
		ka, kb = kb, ka
	}
	return &sched.Failure{
		Kind:    sched.FailRace,
		Message: fmt.Sprintf("data race: %v and %v of the same memory, in no order", a.Pending.Kind, b.Pending.Kind),
		Key:     "race " + ka + " " + kb,
		Tasks: []sched.TaskState{
			{Task: a.ID, State: "racing", OpStr: a.Pending.Kind.String(), Site: pa, HeldBy: sched.NoTask},
			{Task: b.ID, State: "racing", OpStr: b.Pending.Kind.String(), Site: pb, HeldBy: sched.NoTask},
		},
	}
}

func key(k sched.Kind, p sched.Position) string {
	if p.Access != 0 {
		return fmt.Sprintf("%v@%d", k, p.Access)
	}
	return fmt.Sprintf("%v@%s:%d", k, p.File, p.Line)
}
