package strategy

import (
	"math"
	"math/rand/v2"

	"github.com/coopvet/coop/runner/sched"
)

// crowd holds the pending events of the enabled tasks, each with a value of its own, drawn
// from the exponential distribution, and finds the event of the lowest value. Only the
// order of the values matters; with -ln(v) for a uniform v it is that of uniform values,
// highest first.
//
// Events that depend on the same others form a group. In a group values are drawn one at a
// time: the lowest of n values is exponential with rate n, whose it is, is uniform, and
// the others are as much above it as new values are above 0. So new values for a whole group
// cost no more than one, and a step takes time logarithmic in the number of tasks.
type crowd struct {
	rand   *sched.Rand
	values rand.Rand // draws from the same source
	queue  queue     // of the events whose values have been drawn, lowest first
	groups []group   // those without members are in no list, but for left
	free   []int32   // their indices
	dirty  []int32   // groups that need a value, see group.draw
	lists  [wideList + 1]int32
	places []place // by task
	left   int32   // the group of the event that was taken last, perhaps without members
}

// group is the events of one kind and object. Those on several objects are each a group
// of its own, in the last list.
type group struct {
	op    sched.Op // such an event
	list  int32
	next  int32 // in its list
	dirty bool
	same  bool          // its events depend on each other
	lazy  []*sched.Task // whose values are known to be above floor
	drawn []*sched.Task // those in the queue: if some are lazy, one has the value floor
	floor float64
}

// place says where a task's event is.
type place struct {
	group, at int32 // noGroup: nowhere
	drawn     bool
}

const (
	noGroup   = -1
	wideList  = 256
	noList    = -1
	wordBytes = 8
)

func (c *crowd) reset(r *sched.Rand) {
	c.rand = r
	c.values = *rand.New(r)
	c.queue.reset()
	for i := range c.lists {
		c.lists[i] = noGroup
	}
	c.free, c.dirty, c.places = c.free[:0], c.dirty[:0], c.places[:0]
	for i := range c.groups {
		g := &c.groups[i]
		g.lazy, g.drawn, g.dirty = g.lazy[:0], g.drawn[:0], false
		c.free = append(c.free, int32(i))
	}
	c.left = noGroup
}

// listOf returns the list of the groups of events like op.
func listOf(op *sched.Op) int32 {
	if len(op.More) > 0 {
		return wideList
	}
	word := op.Object / wordBytes
	if op.Size > 0 && (op.Object+op.Size-1)/wordBytes != word {
		return wideList
	}
	return int32(sched.Mix(uint64(word)) % wideList)
}

// alike reports whether the same events depend on a as on b.
func alike(a, b *sched.Op) bool {
	return a.Object == b.Object && a.Size == b.Size && a.Kind.Writes() == b.Kind.Writes() &&
		(a.Kind == sched.WaitGroupAdd) == (b.Kind == sched.WaitGroupAdd) && len(a.More)|len(b.More) == 0
}

// enter adds t's event, with a new value.
func (c *crowd) enter(t *sched.Task) {
	i := c.groupOf(&t.Pending)
	g := &c.groups[i]
	for int(t.ID) >= len(c.places) {
		c.places = append(c.places, place{group: noGroup})
	}
	if len(g.lazy) > 0 && g.floor > 0 {
		if v := c.exponential(); v < g.floor {
			c.show(g, i, t, v)
			return
		}
	} else if len(g.lazy) == 0 {
		g.floor = 0
		c.soil(i)
	}
	c.places[t.ID] = place{i, int32(len(g.lazy)), false}
	g.lazy = append(g.lazy, t)
}

// groupOf returns the group for op, a new one if there is none.
func (c *crowd) groupOf(op *sched.Op) int32 {
	if left := c.left; left != noGroup {
		c.left = noGroup
		if c.groups[left].list != wideList && alike(&c.groups[left].op, op) {
			return left
		}
		c.drop(left)
	}
	list := listOf(op)
	if list != wideList {
		for i := c.lists[list]; i != noGroup; i = c.groups[i].next {
			if alike(&c.groups[i].op, op) {
				return i
			}
		}
	}
	if len(c.free) == 0 {
		c.free = append(c.free, int32(len(c.groups)))
		c.groups = append(c.groups, group{})
	}
	i := c.free[len(c.free)-1]
	c.free = c.free[:len(c.free)-1]
	g := &c.groups[i]
	g.op, g.list, g.next = *op, list, c.lists[list]
	g.same = sched.Dependent(op, op)
	c.lists[list] = i
	return i
}

// drop takes the group i out of its list, if it has no members.
func (c *crowd) drop(i int32) {
	g := &c.groups[i]
	if len(g.lazy)+len(g.drawn) > 0 {
		return
	}
	p := &c.lists[g.list]
	for *p != i {
		p = &c.groups[*p].next
	}
	*p = g.next
	c.free = append(c.free, i)
}

// remove takes the event of the task id out.
func (c *crowd) remove(id sched.TaskID) {
	if i := c.takeOut(id); i != c.left {
		c.drop(i)
	}
}

// takeOut takes the event of the task id out of its group, which it returns.
func (c *crowd) takeOut(id sched.TaskID) int32 {
	p := c.places[id]
	c.places[id].group = noGroup
	g := &c.groups[p.group]
	if p.drawn {
		c.queue.remove(id)
		if len(g.lazy) > 0 && c.queue.key[id] == keyOf(g.floor) {
			c.soil(p.group)
		}
		g.drawn = c.cut(g.drawn, p.at)
	} else {
		g.lazy = c.cut(g.lazy, p.at)
	}
	return p.group
}

// cut removes the element at from a list of tasks.
func (c *crowd) cut(list []*sched.Task, at int32) []*sched.Task {
	last := list[len(list)-1]
	list[at] = last
	c.places[last.ID].at = at
	return list[:len(list)-1]
}

// show enters t, with value v, into the queue.
func (c *crowd) show(g *group, i int32, t *sched.Task, v float64) {
	c.places[t.ID] = place{i, int32(len(g.drawn)), true}
	g.drawn = append(g.drawn, t)
	c.queue.set(t.ID, keyOf(v))
	c.queue.add(t)
}

// keyOf orders values for the queue, whose top is the highest key.
func keyOf(v float64) uint64 { return ^math.Float64bits(v) }

// soil notes that the group i needs a value.
func (c *crowd) soil(i int32) {
	if g := &c.groups[i]; !g.dirty {
		g.dirty = true
		c.dirty = append(c.dirty, i)
	}
}

// take takes the event of the lowest value out and returns its task; there must be one.
func (c *crowd) take() *sched.Task {
	var t *sched.Task
	group := int32(noGroup)
	if len(c.dirty) == 1 && len(c.queue.heap) == 0 {
		group = c.dirty[0]
		t = c.takeAny(&c.groups[group])
	} else {
		c.drawAll()
		t = c.queue.top()
		group = c.takeOut(t.ID)
	}
	if c.left != noGroup && c.left != group {
		c.drop(c.left)
	}
	c.left = group
	return t
}

// takeAny is take if all events are in the group g and no value has been drawn. If the
// others depend on the one that is taken, none is needed.
func (c *crowd) takeAny(g *group) *sched.Task {
	n := len(g.lazy)
	k := c.rand.IntN(n)
	t := g.lazy[k]
	if !g.same {
		g.floor += c.exponential() / float64(n)
	}
	g.lazy = c.cut(g.lazy, int32(k))
	c.places[t.ID].group = noGroup
	return t
}

// drawAll draws a value for each group that needs one.
func (c *crowd) drawAll() {
	for _, i := range c.dirty {
		g := &c.groups[i]
		if g.dirty = false; len(g.lazy) > 0 {
			c.draw(g, i)
		}
	}
	c.dirty = c.dirty[:0]
}

// draw draws the lowest of the values that have not been drawn.
func (c *crowd) draw(g *group, i int32) {
	n := len(g.lazy)
	g.floor += c.exponential() / float64(n)
	k := 0
	if n > 1 {
		k = c.rand.IntN(n)
	}
	t := g.lazy[k]
	g.lazy = c.cut(g.lazy, int32(k))
	c.show(g, i, t, g.floor)
}

func (c *crowd) exponential() float64 { return c.values.ExpFloat64() }

// renew gives new values to the events that depend on op, which has just been taken.
func (c *crowd) renew(op *sched.Op) {
	switch list := c.groups[c.left].list; {
	case list == wideList:
		for i := range c.groups {
			c.renewIf(int32(i), op)
		}
	case op.Object != 0:
		for _, from := range [...]int32{c.lists[list], c.lists[wideList]} {
			for i := from; i != noGroup; i = c.groups[i].next {
				c.renewIf(i, op)
			}
		}
	}
}

func (c *crowd) renewIf(i int32, op *sched.Op) {
	if g := &c.groups[i]; len(g.lazy)+len(g.drawn) > 0 && sched.Dependent(&g.op, op) {
		c.renewGroup(i)
	}
}

func (c *crowd) renewGroup(i int32) {
	g := &c.groups[i]
	for _, t := range g.drawn {
		c.queue.remove(t.ID)
		c.places[t.ID] = place{i, int32(len(g.lazy)), false}
		g.lazy = append(g.lazy, t)
	}
	g.drawn = g.drawn[:0]
	g.floor = 0
	c.soil(i)
}

// renewAll gives new values to all events.
func (c *crowd) renewAll() {
	for i := range c.groups {
		if g := &c.groups[i]; len(g.lazy)+len(g.drawn) > 0 {
			c.renewGroup(int32(i))
		}
	}
}
