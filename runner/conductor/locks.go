package conductor

import (
	"slices"

	"github.com/coopvet/coop/runner/sched"
)

// takes notes that t is about to take a lock exclusively, if it is.
func (t *task) takes() {
	switch op := &t.Pending; op.Kind {
	case sched.Lock, sched.WLock:
		t.held = append(t.held, op.Object)
	case sched.TryLock, sched.TryWLock:
		if syncEnabled(uint8(op.Kind-1), op.Object) { // of Lock, WLock
			t.held = append(t.held, op.Object)
		}
	}
}

// gives notes that t unlocks obj, which another task may have locked.
func (c *conductor) gives(t *task, obj uintptr) {
	if t.drop(obj) {
		return
	}
	for _, u := range c.tasks {
		if u.drop(obj) {
			return
		}
	}
}

func (t *task) drop(obj uintptr) bool {
	for i := len(t.held) - 1; i >= 0; i-- {
		if t.held[i] == obj {
			t.held = append(t.held[:i], t.held[i+1:]...)
			return true
		}
	}
	return false
}

// lockCycle returns tasks of which each waits for a lock that the next one holds, the
// last for one of the first: the resource graph of Cooperari has a cycle. It returns nil
// if there are none.
func (c *conductor) lockCycle() []*task {
	for _, start := range c.waiters {
		chain := []*task{start}
		for t := c.holder(start); t != nil && t.state == waiting; t = c.holder(t) {
			if i := slices.Index(chain, t); i >= 0 {
				return chain[i:]
			}
			chain = append(chain, t)
		}
	}
	return nil
}

// holder returns the task that holds the lock that t waits for, nil if it is not known.
func (c *conductor) holder(t *task) *task {
	switch t.Pending.Kind {
	case sched.Lock, sched.WLock, sched.RLock:
		for _, u := range c.tasks {
			if u.state != exited && slices.Contains(u.held, t.Pending.Object) {
				return u
			}
		}
	}
	return nil
}
