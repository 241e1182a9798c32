package strategy

import "github.com/coopvet/coop/runner/sched"

// byObject holds the enabled tasks, and finds those whose pending operations may depend on
// a given one. Those on one object are found in the order in which they were added. Which
// other objects are in the same list depends on addresses, which must not decide what a
// seed draws; so what is removed leaves the others in their order.
type byObject struct {
	ends  [wideList + 1]ends // by listOf their operations
	spots []spot             // by task
}

// ends are the first and the last task of a list, as IDs plus one; 0 if it is empty.
type ends struct{ first, last int32 }

// spot says where a task is, and which tasks are beside it, as IDs plus one. The list is
// noList if it is nowhere.
type spot struct {
	task             *sched.Task
	list, prev, next int32
}

func (b *byObject) reset() {
	b.ends = [wideList + 1]ends{}
	b.spots = b.spots[:0]
}

func (b *byObject) add(t *sched.Task) {
	for int(t.ID) >= len(b.spots) {
		b.spots = append(b.spots, spot{list: noList})
	}
	list := listOf(&t.Pending)
	e := &b.ends[list]
	b.spots[t.ID] = spot{task: t, list: list, prev: e.last}
	*b.follows(list, e.last) = int32(t.ID) + 1
	e.last = int32(t.ID) + 1
}

// task returns the task id, nil if it is not there.
func (b *byObject) task(id sched.TaskID) *sched.Task {
	if int(id) >= len(b.spots) || b.spots[id].list == noList {
		return nil
	}
	return b.spots[id].task
}

// remove takes the task id out, which must be there.
func (b *byObject) remove(id sched.TaskID) {
	s := &b.spots[id]
	*b.follows(s.list, s.prev) = s.next
	if s.next == 0 {
		b.ends[s.list].last = s.prev
	} else {
		b.spots[s.next-1].prev = s.prev
	}
	s.list = noList
}

// follows returns where it is noted which task of a list follows another one, an ID plus
// one, or is the first.
func (b *byObject) follows(list, task int32) *int32 {
	if task == 0 {
		return &b.ends[list].first
	}
	return &b.spots[task-1].next
}
