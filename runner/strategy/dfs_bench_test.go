package strategy

import (
	"testing"

	"github.com/coopvet/coop/runner/sched"
)

// counter is two tasks that n times read and write one variable, without a conductor.
type counter struct {
	tasks   [2]sched.Task
	enabled []*sched.Task
	left    [2]int
}

func (c *counter) run(d *dfs, n int) {
	d.Begin(sched.TrialInfo{})
	c.enabled = c.enabled[:0]
	for i := range c.tasks {
		t := &c.tasks[i]
		*t = sched.Task{ID: sched.TaskID(i), Path: uint64(i + 1)}
		c.left[i] = 2 * n
		d.Event(sched.Spawned, t, nil, nil)
		c.announce(d, t)
		c.enabled = append(c.enabled, t)
	}
	last := sched.NoTask
	for len(c.enabled) > 0 {
		last = d.Pick(c.enabled, last)
		t := &c.tasks[last]
		t.Steps++
		if c.left[last]--; c.left[last] > 0 {
			c.announce(d, t)
			continue
		}
		for i, u := range c.enabled {
			if u == t {
				c.enabled = append(c.enabled[:i], c.enabled[i+1:]...)
				break
			}
		}
	}
	d.End(0, sched.FailNone)
}

func (c *counter) announce(d *dfs, t *sched.Task) {
	t.Pending = sched.Op{Kind: sched.AtomicLoad, Object: 0x1000, Size: 4}
	if c.left[t.ID]%2 == 1 {
		t.Pending.Kind = sched.AtomicStore
	}
	d.Event(sched.Announced, t, &t.Pending, nil)
}

// BenchmarkDFS measures the search alone, per execution of the lost update, of 8 and of
// 16 steps.
func BenchmarkDFS(b *testing.B) {
	for name, n := range map[string]int{"4": 1, "8": 2, "16": 4} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			c := &counter{}
			d := newDFS()
			for b.Loop() {
				if d.search.Done {
					paths := d.paths
					wakeups, stack, trace := d.wakeups, d.stack, d.trace
					*d = *newDFS()
					d.paths, d.wakeups, d.stack, d.trace = paths, wakeups, stack[:0], trace
				}
				c.run(d, n)
			}
		})
	}
}

// TestDFSAllocates: an execution allocates nothing once the buffers have grown.
func TestDFSAllocates(t *testing.T) {
	c, d := &counter{}, newDFS()
	for range 2000 {
		c.run(d, 4)
	}
	if n := testing.AllocsPerRun(500, func() { c.run(d, 4) }); n > 0 || d.search.Done {
		t.Errorf("%v allocations per execution; the search is done: %v", n, d.search.Done)
	}
}
