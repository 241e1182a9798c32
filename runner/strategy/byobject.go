package strategy

import "github.com/coopvet/coop/runner/sched"

// byObject holds the enabled tasks, and finds those whose pending operations may depend on
// a given one.
type byObject struct {
	lists [wideList + 1][]*sched.Task // by listOf their operations
	spots []spot                      // by task
}

// spot says where a task is; list is noList if it is nowhere.
type spot struct{ list, at int32 }

func (b *byObject) reset() {
	for _, s := range b.spots {
		if s.list != noList {
			b.lists[s.list] = b.lists[s.list][:0]
		}
	}
	b.spots = b.spots[:0]
}

func (b *byObject) add(t *sched.Task) {
	for int(t.ID) >= len(b.spots) {
		b.spots = append(b.spots, spot{list: noList})
	}
	list := listOf(&t.Pending)
	b.spots[t.ID] = spot{list, int32(len(b.lists[list]))}
	b.lists[list] = append(b.lists[list], t)
}

// task returns the task id, nil if it is not there.
func (b *byObject) task(id sched.TaskID) *sched.Task {
	if int(id) >= len(b.spots) || b.spots[id].list == noList {
		return nil
	}
	return b.lists[b.spots[id].list][b.spots[id].at]
}

// remove takes the task id out, which must be there.
func (b *byObject) remove(id sched.TaskID) {
	s := &b.spots[id]
	list := b.lists[s.list]
	last := list[len(list)-1]
	list[s.at] = last
	b.spots[last.ID].at = s.at
	b.lists[s.list] = list[:len(list)-1]
	s.list = noList
}
