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
//
// A batch takes time linear in the number of tasks that it is drawn from, because each of
// them tosses a coin. Tasks are compared with those on the same object only.
type rapos struct {
	rand     *sched.Rand
	tasks    byObject
	batch    []sched.TaskID      // drawn, not yet executed
	executed []executed          // the previous batch
	lists    [wideList + 1]int32 // of executed, by listOf: an index plus one, 0 at the end
	more     []uintptr           // backing store of the channels in executed
	fresh    []sched.TaskID      // enabled since the previous batch was drawn
	pool     []*sched.Task       // schedulable
	pooled   []int32             // by task: the last batch that it was schedulable for
	batches  int32
	starved  int         // batches since all enabled tasks were schedulable
	out      *sched.Task // enabled, but not in tasks: it has been executed
}

type executed struct {
	id   sched.TaskID
	op   sched.Op
	list int32
	next int32 // in its list
}

func (r *rapos) Begin(info sched.TrialInfo) {
	r.rand = info.Rand
	r.tasks.reset()
	r.batch = r.batch[:0]
	r.forget()
	r.pooled = r.pooled[:0]
	r.batches = 0
	r.starved = 0
	r.out = nil
}

func (r *rapos) Enabled(t *sched.Task) {
	r.tasks.add(t)
	r.fresh = append(r.fresh, t.ID)
}

func (r *rapos) Disabled(t *sched.Task) {
	if t == r.out {
		r.out = nil
	} else {
		r.tasks.remove(t.ID)
	}
}

func (r *rapos) Pick(enabled []*sched.Task, _ sched.TaskID) sched.TaskID {
	if r.out != nil {
		r.tasks.add(r.out)
	}
	for {
		for len(r.batch) > 0 {
			id := r.batch[len(r.batch)-1]
			r.batch = r.batch[:len(r.batch)-1]
			if t := r.tasks.task(id); t != nil {
				r.tasks.remove(id)
				r.out = t
				return id
			}
		}
		pool := r.schedulable(enabled)
		if len(enabled) == 1 {
			r.draw(enabled[0])
		} else {
			r.drawBatch(pool, enabled)
		}
	}
}

// schedulable returns the tasks that the next batch is drawn from: those that the previous
// one has enabled or executed, and those that depend on it.
func (r *rapos) schedulable(enabled []*sched.Task) []*sched.Task {
	r.batches++
	r.pool = r.pool[:0]
	if r.batches == 1 {
		r.pool = append(r.pool, enabled...)
	}
	for _, id := range r.fresh {
		r.add(r.tasks.task(id))
	}
	for i := range r.executed {
		e := &r.executed[i]
		r.add(r.tasks.task(e.id))
		if e.list == wideList {
			for _, t := range enabled {
				if sched.Dependent(&e.op, &t.Pending) {
					r.add(t)
				}
			}
		} else {
			r.addDependentIn(e.list, &e.op)
			r.addDependentIn(wideList, &e.op)
		}
	}
	r.forget()
	if len(r.pool) == len(enabled) {
		r.starved = 0
	} else if r.starved++; r.starved > starveLimit {
		r.starved = 0
		r.pool = append(r.pool[:0], enabled...)
	}
	return r.pool
}

// addDependentIn adds those tasks of a list to the pool whose operations depend on op.
func (r *rapos) addDependentIn(list int32, op *sched.Op) {
	for i := r.tasks.ends[list].first; i != 0; i = r.tasks.spots[i-1].next {
		if t := r.tasks.spots[i-1].task; sched.Dependent(op, &t.Pending) {
			r.add(t)
		}
	}
}

// add adds t to the pool, unless it is there or nil.
func (r *rapos) add(t *sched.Task) {
	if t == nil || r.batches == 1 {
		return
	}
	for int(t.ID) >= len(r.pooled) {
		r.pooled = append(r.pooled, 0)
	}
	if r.pooled[t.ID] != r.batches {
		r.pooled[t.ID] = r.batches
		r.pool = append(r.pool, t)
	}
}

func (r *rapos) drawBatch(pool, enabled []*sched.Task) {
	if len(pool) == 0 {
		r.draw(enabled[r.rand.IntN(len(enabled))])
		return
	}
	first := r.rand.IntN(len(pool))
	r.draw(pool[first])
	pool[first] = pool[len(pool)-1]
	pool = r.toss(pool[:len(pool)-1])
	for n := len(pool); n > 0; n-- {
		i := r.rand.IntN(n)
		if t := pool[i]; !r.depends(&t.Pending) {
			r.draw(t)
		}
		pool[i] = pool[n-1]
	}
}

// toss returns the tasks that would be added to the first one: each with probability 1/2,
// if it is independent of that one.
func (r *rapos) toss(pool []*sched.Task) []*sched.Task {
	heads := pool[:0]
	var coins uint64
	for i, t := range pool {
		if i%64 == 0 {
			coins = r.rand.Uint64()
		}
		if coins&1 != 0 && !r.depends(&t.Pending) {
			heads = append(heads, t)
		}
		coins >>= 1
	}
	return heads
}

// draw adds t to the batch.
func (r *rapos) draw(t *sched.Task) {
	op := t.Pending
	if len(op.More) > 0 {
		n := len(r.more)
		r.more = append(r.more, op.More...)
		op.More = r.more[n:len(r.more):len(r.more)]
	}
	list := listOf(&op)
	r.batch = append(r.batch, t.ID)
	r.executed = append(r.executed, executed{t.ID, op, list, r.lists[list]})
	r.lists[list] = int32(len(r.executed))
}

// depends reports whether op depends on that of a task in executed.
func (r *rapos) depends(op *sched.Op) bool {
	list := listOf(op)
	if list != wideList {
		return r.dependsIn(list, op) || r.dependsIn(wideList, op)
	}
	for i := range r.executed {
		if sched.Dependent(&r.executed[i].op, op) {
			return true
		}
	}
	return false
}

func (r *rapos) dependsIn(list int32, op *sched.Op) bool {
	for i := r.lists[list]; i != 0; i = r.executed[i-1].next {
		if sched.Dependent(&r.executed[i-1].op, op) {
			return true
		}
	}
	return false
}

// forget prepares executed and fresh for the next batch.
func (r *rapos) forget() {
	for i := range r.executed {
		r.lists[r.executed[i].list] = 0
	}
	r.executed, r.more, r.fresh = r.executed[:0], r.more[:0], r.fresh[:0]
}
