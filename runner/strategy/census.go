package strategy

import (
	"cmp"
	"slices"

	"github.com/coopvet/coop/runner/sched"
)

// census counts the events of each task in the pilot, so as to foretell those of the
// trials. Tasks are known by their spawn paths and events by their sites, which are the
// same in every trial.
type census struct {
	paths  map[uint64]*counted
	order  []*counted     // children before their parents
	shared [][]sched.Site // of each object that tasks share, the sites of its uses; each set once

	// While the pilot runs: its tasks, by ID, and steps.
	tasks []*counted
	log   []use

	// The events that count in the present trial: all, or those at some sites.
	all    bool
	chosen []sched.Site
	marked []bool // by site: it is in chosen
}

// counted is what is known of the task with a spawn path.
type counted struct {
	path, parent uint64
	depth        int32
	events       []siteCount
	weight       int64 // interesting events of the task and of its descendants
}

type siteCount struct {
	site sched.Site
	n    int
}

type use struct {
	task   sched.TaskID
	site   sched.Site
	object uintptr
	write  bool
}

const (
	maxLog    = 1 << 18 // events of the pilot; later ones are not counted
	maxShared = 1 << 10 // objects that a choice is made among
)

// begin begins the pilot.
func (c *census) begin() {
	*c = census{paths: make(map[uint64]*counted), marked: c.marked[:0]}
}

// spawned notes a task.
func (c *census) spawned(t *sched.Task) {
	for int(t.ID) >= len(c.tasks) {
		c.tasks = append(c.tasks, nil)
	}
	if c.tasks[t.ID] != nil {
		return
	}
	n := &counted{path: t.Path, depth: t.Depth}
	if t.Parent != sched.NoTask && int(t.Parent) < len(c.tasks) && c.tasks[t.Parent] != nil {
		n.parent = c.tasks[t.Parent].path
	}
	c.tasks[t.ID] = n
	if c.paths[n.path] == nil {
		c.paths[n.path] = n
		c.order = append(c.order, n)
	}
}

// step notes a step of t.
func (c *census) step(t *sched.Task) {
	if len(c.log) < maxLog {
		c.log = append(c.log, use{t.ID, t.Pending.Site, t.Pending.Object, t.Pending.Kind.Writes()})
	}
}

// end ends the pilot.
func (c *census) end() {
	slices.SortStableFunc(c.order, func(a, b *counted) int { return cmp.Compare(b.depth, a.depth) })
	for i := range c.log {
		c.paths[c.tasks[c.log[i].task].path].add(c.log[i].site)
	}
	c.findShared()
	c.tasks, c.log = nil, nil
}

func (p *counted) add(site sched.Site) {
	for i := range p.events {
		if p.events[i].site == site {
			p.events[i].n++
			return
		}
	}
	p.events = append(p.events, siteCount{site, 1})
}

// findShared looks for objects that several tasks use and one of them writes.
func (c *census) findShared() {
	slices.SortStableFunc(c.log, func(a, b use) int { return cmp.Compare(a.object, b.object) })
	for from := 0; from < len(c.log); {
		first := c.log[from]
		several, written, to := false, false, from
		for ; to < len(c.log) && c.log[to].object == first.object; to++ {
			several = several || c.log[to].task != first.task
			written = written || c.log[to].write
		}
		if first.object != 0 && several && written {
			c.share(c.log[from:to])
		}
		from = to
	}
}

// share enters the sites of the uses of a shared object, if they are new.
func (c *census) share(uses []use) {
	var sites []sched.Site
	for _, e := range uses {
		if i, found := slices.BinarySearch(sites, e.site); !found {
			sites = slices.Insert(sites, i, e.site)
		}
	}
	same := func(known []sched.Site) bool { return slices.Equal(known, sites) }
	if len(c.shared) < maxShared && !slices.ContainsFunc(c.shared, same) {
		c.shared = append(c.shared, sites)
	}
}

// choose makes all events interesting, or those of one shared object, drawn at random,
// and weighs the tasks accordingly.
func (c *census) choose(all bool, r *sched.Rand) {
	for _, s := range c.chosen {
		c.marked[s] = false
	}
	c.all, c.chosen = all, nil
	if !all && len(c.shared) > 0 {
		c.chosen = c.shared[r.IntN(len(c.shared))]
		for _, s := range c.chosen {
			for int(s) >= len(c.marked) {
				c.marked = append(c.marked, false)
			}
			c.marked[s] = true
		}
	}
	for _, p := range c.order {
		p.weight = 0
	}
	for _, p := range c.order {
		for _, e := range p.events {
			if c.interesting(e.site) {
				p.weight += int64(e.n)
			}
		}
		if parent := c.paths[p.parent]; parent != nil {
			parent.weight += p.weight
		}
	}
}

// interesting reports whether the operations at s count in the present trial.
func (c *census) interesting(s sched.Site) bool {
	return c.all || int(s) < len(c.marked) && c.marked[s]
}

// weight returns the number of interesting events to expect of t and of the tasks that
// it will start; 1 if nothing is known of it.
func (c *census) weight(t *sched.Task) int64 {
	if p := c.paths[t.Path]; p != nil {
		return p.weight
	}
	return 1
}
