package escape

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/coopvet/coop/escape/lockset"
	"github.com/coopvet/coop/escape/syncop"
)

// Joins by channel. A channel that is known in one function only (it and what is started
// there) tells of the end of goroutines if each of them, as the last thing that it does,
// sends on the channel once or closes it. Who has received as many values as there are
// goroutines, or has seen that the channel is closed, comes after their end.

// chanOp notes an operation on a channel.
func (e *engine) chanOp(f *function, i ssa.Instruction, k syncop.Kind, ch ssa.Value) {
	ops := e.field(e.deref(e.val(f, ch)), chanOps)
	e.add(f, ops, access{write: true, group: k, path: lockset.PathOf(ch), frame: f, at: i, start: i})
}

// chanJoin is what is known about one channel.
type chanJoin struct {
	f        *function
	made     ssa.Instruction
	signals  []*ssa.Go // whose goroutines end with a value
	closer   *ssa.Go   // whose goroutine ends by closing
	values   bool      // there are other values
	receives []*ssa.UnOp
}

// channelJoins looks at the operations on one channel.
func (e *engine) channelJoins(f *function, ops []access) {
	c := chanJoin{f: f}
	for i := range ops {
		a := &ops[i]
		if a.frame != f || a.at == nil || a.path.Root == nil || a.path.Sel != "" {
			return
		}
		made, ok := a.path.Root.(*ssa.MakeChan)
		if !ok || c.made != nil && c.made != made {
			return
		}
		c.made = made
		if !c.note(a) {
			return
		}
	}
	if c.closer != nil {
		c.join(c.closer, barriers{entries: c.closed()})
		if c.values || len(c.signals) > 0 {
			return
		}
		if c.once(c.closer) {
			c.joinAll([]*ssa.Go{c.closer}, barriers{at: c.direct()})
		}
		return
	}
	if !c.values {
		c.count()
	}
}

// note adds an operation, and reports whether the channel may still be believed.
func (c *chanJoin) note(a *access) bool {
	own := a.who == nil && a.at == a.start
	switch a.group {
	case syncop.Receive:
		if r, ok := a.at.(*ssa.UnOp); ok && own {
			c.receives = append(c.receives, r)
		}
		return true // to receive elsewhere only leaves less to receive here
	case syncop.Send:
		if !c.endsGoroutine(a) {
			c.values = true
			return true
		}
		c.signals = append(c.signals, a.at.(*ssa.Go))
		return true
	case syncop.Close:
		if !c.endsGoroutine(a) || c.closer != nil {
			return false
		}
		c.closer = a.at.(*ssa.Go)
		return true
	case syncop.Select: // a send
		c.values = true
		return true
	}
	return false
}

// endsGoroutine reports whether a is the end of a goroutine that the function starts.
func (c *chanJoin) endsGoroutine(a *access) bool {
	if a.who == nil || a.who.inner != nil || a.who.outer != nil || !endsWith(*a) {
		return false
	}
	g := a.at.(*ssa.Go)
	return !c.f.outlived[g] && g != c.closer && !slices.Contains(c.signals, g)
}

// once reports whether the instruction is executed at most once for each channel.
func (c *chanJoin) once(i ssa.Instruction) bool { return !c.f.flow.reaches(i, i, c.made) }

// join notes that the goroutines of g are over behind w.
func (c *chanJoin) join(g *ssa.Go, w barriers) {
	// With a new channel in between, what is received is from others.
	if len(w.at)+len(w.entries) > 0 && c.once(g) && !c.f.flow.reachesAny(g, c.made, w.at, w.entries...) {
		c.f.join(g, w)
	}
}

func (c *chanJoin) joinAll(all []*ssa.Go, w barriers) {
	for _, g := range all {
		if !c.f.flow.reachesAny(g, c.made, w.at, w.entries...) {
			c.f.join(g, w)
		}
	}
}

// direct returns all instructions that receive.
func (c *chanJoin) direct() []ssa.Instruction {
	var all []ssa.Instruction
	for _, r := range c.receives {
		all = append(all, r)
	}
	return all
}

// closed returns the blocks that are entered only when the channel has been seen to be
// closed.
func (c *chanJoin) closed() []*ssa.BasicBlock {
	var all []*ssa.BasicBlock
	for _, r := range c.receives {
		if !r.CommaOk {
			continue
		}
		for _, x := range *r.Referrers() {
			ok, is := x.(*ssa.Extract)
			if !is || ok.Index != 1 {
				continue
			}
			for _, u := range *ok.Referrers() {
				if cond, is := u.(*ssa.If); is && len(cond.Block().Succs[1].Preds) == 1 {
					all = append(all, cond.Block().Succs[1])
				}
			}
		}
	}
	return all
}

// count holds the number of goroutines against the number of receives.
func (c *chanJoin) count() {
	if len(c.signals) == 0 {
		return
	}
	var n count
	for _, g := range c.signals {
		n = n.plus(c.f.flow.times(g, c.made))
	}
	if !n.known {
		return
	}
	for _, r := range c.receives {
		if m, done := c.f.flow.atLeast(r); done != nil && n.within(m) {
			c.joinAll(c.signals, barriers{entries: []*ssa.BasicBlock{done}})
		}
	}
	// One receive after the other: the last of enough of them.
	if n.bound == nil {
		for _, r := range c.receives {
			before := 0
			for _, q := range c.receives {
				if q == r || c.f.flow.dominates(q, r) {
					before++
				}
			}
			if int64(before) >= n.n {
				c.joinAll(c.signals, barriers{at: []ssa.Instruction{r}})
			}
		}
	}
}
