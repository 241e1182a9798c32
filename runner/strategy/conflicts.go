package strategy

import "github.com/coopvet/coop/runner/sched"

// conflicts finds among the enabled tasks those whose pending operations may depend on
// a given one, without looking at all: it keeps a list of tasks for each word of memory
// that they operate on, hashed, and one of those that operate on several.
type conflicts struct {
	heads [conflictLists + 1]sched.TaskID // the last list is of operations on several words
	links []link                          // by task
	all   bool                            // the search that is under way goes through all lists
	list  int                             // and is in this one
}

type link struct {
	list       int // -1: none
	prev, next sched.TaskID
}

const (
	conflictLists = 256
	wideList      = conflictLists
	wordBytes     = 8
)

func (c *conflicts) reset() {
	for i := range c.heads {
		c.heads[i] = sched.NoTask
	}
	c.links = c.links[:0]
}

// listOf returns the list for op, -1 if nothing depends on it.
func listOf(op *sched.Op) int {
	switch {
	case len(op.More) > 0:
		return wideList
	case op.Object == 0:
		return -1
	}
	word := op.Object / wordBytes
	if op.Size > 0 && (op.Object+op.Size-1)/wordBytes != word {
		return wideList
	}
	return int(sched.Mix(uint64(word)) % conflictLists)
}

func (c *conflicts) add(t *sched.Task) {
	for int(t.ID) >= len(c.links) {
		c.links = append(c.links, link{list: -1})
	}
	list := listOf(&t.Pending)
	if list < 0 {
		return
	}
	head := c.heads[list]
	c.links[t.ID] = link{list, sched.NoTask, head}
	if head != sched.NoTask {
		c.links[head].prev = t.ID
	}
	c.heads[list] = t.ID
}

func (c *conflicts) remove(id sched.TaskID) {
	l := c.links[id]
	if l.list < 0 {
		return
	}
	if l.prev == sched.NoTask {
		c.heads[l.list] = l.next
	} else {
		c.links[l.prev].next = l.next
	}
	if l.next != sched.NoTask {
		c.links[l.next].prev = l.prev
	}
	c.links[id].list = -1
}

// first begins a search for what may depend on t's pending operation. It returns a task
// or NoTask, as does next. The lists must not change during a search.
func (c *conflicts) first(t *sched.Task) sched.TaskID {
	list := listOf(&t.Pending)
	switch c.all = list == wideList; {
	case list < 0:
		return sched.NoTask
	case c.all:
		c.list = 0
	default:
		c.list = list
	}
	return c.from(c.heads[c.list])
}

func (c *conflicts) next(id sched.TaskID) sched.TaskID { return c.from(c.links[id].next) }

// from goes on to the next list that is to be searched if id is the end of one.
func (c *conflicts) from(id sched.TaskID) sched.TaskID {
	for id == sched.NoTask && c.list < wideList {
		if c.all {
			c.list++
		} else {
			c.list = wideList
		}
		id = c.heads[c.list]
	}
	return id
}
