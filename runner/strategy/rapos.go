package strategy

import "github.com/coopvet/coop/runner/sched"

// rapos is random partial order sampling: K. Sen, Effective Random Testing of
// Concurrent Programs, ASE 2007, figures 4 and 5.
//
// It repeats: from the schedulable tasks draw one, add each other one that is
// independent of all drawn so far with probability 1/2, execute the drawn tasks in any
// order; schedulable are then the enabled tasks that depend on an executed one. If
// there are none, one enabled task is drawn.
//
// Departures: the order of the others is random, not that of the list, as the first
// member is (the paper leaves it open). Tasks that the paper's rule leaves out for
// starveLimit steps on end become schedulable, because a task that spins depends only
// on itself and would otherwise starve the task that it waits for.
type rapos struct {
	rand     *sched.Rand
	batch    []sched.TaskID // drawn, not yet executed
	executed []executed     // the previous batch
	more     []uintptr      // backing store of the channels in executed
	pool     []*sched.Task  // schedulable
	seen     []int32        // by task: the last batch before which it was enabled
	batches  int32
	starved  int // steps since all enabled tasks were schedulable
}

type executed struct {
	id sched.TaskID
	op sched.Op
}

func (r *rapos) Begin(info sched.TrialInfo) {
	r.rand = info.Rand
	r.batch = r.batch[:0]
	r.executed = r.executed[:0]
	r.seen = r.seen[:0]
	r.batches = 0
	r.starved = 0
}

func (r *rapos) Pick(enabled []*sched.Task, _ sched.TaskID) sched.TaskID {
	for {
		for len(r.batch) > 0 {
			id := r.batch[len(r.batch)-1]
			r.batch = r.batch[:len(r.batch)-1]
			if find(enabled, id) != nil {
				return id
			}
		}
		if len(enabled) == 1 {
			r.schedulable(enabled) // keeps seen up to date
			r.draw(enabled[0])
			continue
		}
		r.drawBatch(r.schedulable(enabled), enabled)
	}
}

// schedulable returns the tasks that the next batch is drawn from.
func (r *rapos) schedulable(enabled []*sched.Task) []*sched.Task {
	before := r.batches
	r.batches++
	r.pool = r.pool[:0]
	for _, t := range enabled {
		for int(t.ID) >= len(r.seen) {
			r.seen = append(r.seen, -1)
		}
		// A task that was not enabled before the previous batch has been enabled by it.
		if before == 0 || r.seen[t.ID] != before || r.depends(t) {
			r.pool = append(r.pool, t)
		}
		r.seen[t.ID] = r.batches
	}
	r.executed = r.executed[:0]
	r.more = r.more[:0]
	if len(r.pool) == len(enabled) {
		r.starved = 0
	} else if r.starved++; r.starved > starveLimit {
		r.starved = 0
		r.pool = append(r.pool[:0], enabled...)
	}
	return r.pool
}

// depends reports whether t depends on a task of the previous batch.
func (r *rapos) depends(t *sched.Task) bool {
	for i := range r.executed {
		e := &r.executed[i]
		if e.id == t.ID || sched.Dependent(&e.op, &t.Pending) {
			return true
		}
	}
	return false
}

func (r *rapos) drawBatch(pool, enabled []*sched.Task) {
	if len(pool) == 0 {
		r.draw(enabled[r.rand.IntN(len(enabled))])
		return
	}
	for n := len(pool); n > 0; n-- {
		i := r.rand.IntN(n)
		t := pool[i]
		pool[i] = pool[n-1]
		if len(r.executed) == 0 || r.rand.Bool() && r.independent(t) {
			r.draw(t)
		}
	}
}

// independent reports whether t is independent of all tasks drawn so far.
func (r *rapos) independent(t *sched.Task) bool {
	for i := range r.executed {
		if sched.Dependent(&r.executed[i].op, &t.Pending) {
			return false
		}
	}
	return true
}

func (r *rapos) draw(t *sched.Task) {
	op := t.Pending
	if len(op.More) > 0 {
		n := len(r.more)
		r.more = append(r.more, op.More...)
		op.More = r.more[n:len(r.more):len(r.more)]
	}
	r.batch = append(r.batch, t.ID)
	r.executed = append(r.executed, executed{t.ID, op})
}
