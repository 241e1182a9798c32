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
	// Tasks about to access memory. Two operations through sync/atomic do not race, so
	// those meet only the plain ones.
	plain, atomic []access
	at            []int32 // by task: its place in the list that it is in
}

// access is a pending operation.
type access struct {
	from, to uintptr // the bytes of memory
	task     *sched.Task
}

// Events implements sched.Listener.
func (r *Race) Events() sched.EventMask {
	return sched.Mask(sched.TrialBegin, sched.Accessing, sched.Accessed)
}

// Event implements sched.Listener.
func (r *Race) Event(kind sched.EventKind, t *sched.Task, op *sched.Op, c sched.Control) {
	if kind == sched.TrialBegin {
		r.plain, r.atomic = r.plain[:0], r.atomic[:0]
		return
	}
	list := &r.plain
	if op.Kind.IsAtomic() {
		list = &r.atomic
	}
	if kind == sched.Accessed {
		r.remove(list, t)
		return
	}
	a := access{op.Object, op.Object + op.Size, t}
	r.meet(r.plain, a, c)
	if list == &r.plain {
		r.meet(r.atomic, a, c)
	}
	r.add(list, a)
}

// meet reports a, if one of pending races with it.
func (r *Race) meet(pending []access, a access, c sched.Control) {
	for i := range pending {
		p := &pending[i]
		if p.from < a.to && a.from < p.to && sched.Dependent(&p.task.Pending, &a.task.Pending) {
			c.Fail(failure(p.task, a.task, c))
			return
		}
	}
}

func (r *Race) add(list *[]access, a access) {
	for int(a.task.ID) >= len(r.at) {
		r.at = append(r.at, 0)
	}
	r.at[a.task.ID] = int32(len(*list))
	*list = append(*list, a)
}

func (r *Race) remove(list *[]access, t *sched.Task) {
	l := *list
	last := len(l) - 1
	i := r.at[t.ID]
	l[i] = l[last]
	r.at[l[i].task.ID] = i
	*list = l[:last]
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
