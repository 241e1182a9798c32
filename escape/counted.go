package escape

import (
	"go/constant"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/coopvet/coop/escape/lockset"
)

// count is a number of executions: n, or the value of bound if that is not nil.
type count struct {
	known bool
	n     int64
	bound ssa.Value
}

// plus adds to the count; the zero count is none.
func (c count) plus(d count) count {
	if c == (count{}) {
		return d
	}
	if c.bound != nil || d.bound != nil {
		return count{}.unknown()
	}
	return count{known: c.known && d.known, n: c.n + d.n}
}

func (count) unknown() count { return count{n: -1} }

// within reports whether c is at most d for sure.
func (c count) within(d count) bool {
	if !c.known || !d.known {
		return false
	}
	if c.bound == nil && d.bound == nil {
		return c.n <= d.n
	}
	return c.bound != nil && d.bound != nil && sameNumber(c.bound, d.bound)
}

// countOf is the number v.
func countOf(v ssa.Value) count {
	if c, ok := v.(*ssa.Const); ok && c.Value != nil {
		n, exact := constant.Int64Val(constant.ToInt(c.Value))
		return count{known: exact, n: n}
	}
	return count{known: true, bound: v}
}

// sameNumber reports whether two values of one activation are the same number: one
// value, one variable that is set once, or the lengths of one slice.
func sameNumber(a, b ssa.Value) bool {
	if a == b {
		return true
	}
	if x, y := lengthOf(a), lengthOf(b); x != nil && y != nil {
		return sameNumber(x, y)
	}
	p, q := lockset.PathOf(a), lockset.PathOf(b)
	return p == q && p.Sel == ""
}

// lengthOf returns the slice or string of which v is the length; nil if it is none.
func lengthOf(v ssa.Value) ssa.Value {
	c, ok := v.(*ssa.Call)
	if !ok {
		return nil
	}
	if b, ok := c.Call.Value.(*ssa.Builtin); !ok || b.Name() != "len" {
		return nil
	}
	switch c.Call.Args[0].Type().Underlying().(type) {
	case *types.Slice, *types.Basic:
		return c.Call.Args[0]
	}
	return nil
}

// times returns how often i is executed at most without avoid in between.
func (f *flow) times(i, avoid ssa.Instruction) count {
	if !f.reaches(i, i, avoid) {
		return count{known: true, n: 1}
	}
	l := f.innermost(i.Block())
	if l == nil || avoid != nil && l.contains(avoid.Block()) {
		return count{}.unknown()
	}
	n := l.trips()
	if l.guard == nil && i.Block() == l.head {
		return count{}.unknown() // once more
	}
	// The loop itself must not be entered again.
	for _, b := range l.exits() {
		if f.reachesInstr(b.Instrs[0], i, []ssa.Instruction{avoid}, nil) {
			return count{}.unknown()
		}
	}
	return n
}

// atLeast returns how often i has been executed at least when control enters the block
// done, since the loop around i was entered; done is nil if there is none.
func (f *flow) atLeast(i ssa.Instruction) (n count, done *ssa.BasicBlock) {
	l := f.innermost(i.Block())
	if l == nil || !i.Block().Dominates(l.latch) {
		return n, nil
	}
	n = l.trips()
	if !n.known {
		return n, nil
	}
	done = l.test.Block().Succs[1]
	for _, p := range done.Preds {
		if p != l.test.Block() && p != l.guard {
			return n, nil
		}
	}
	return n, done
}

// dominates reports whether i is always executed before j.
func (f *flow) dominates(i, j ssa.Instruction) bool {
	if i.Block() == j.Block() {
		return f.place[i] < f.place[j]
	}
	return i.Block().Dominates(j.Block())
}

// loop is a loop with one way back, which counts up to a limit.
type loop struct {
	blocks map[*ssa.BasicBlock]bool
	head   *ssa.BasicBlock
	latch  *ssa.BasicBlock // from which control goes back
	test   *ssa.If         // leaves the loop by its second branch; nil: it does not count
	guard  *ssa.BasicBlock // tests whether to enter the loop; nil: the test does
	limit  ssa.Value
}

func (l *loop) contains(b *ssa.BasicBlock) bool { return l.blocks[b] }

// trips returns how often the loop's body is executed if it is not left early.
func (l *loop) trips() count {
	if l.test == nil {
		return count{}.unknown()
	}
	return countOf(l.limit)
}

// exits returns the blocks to which control leaves the loop.
func (l *loop) exits() []*ssa.BasicBlock {
	var out []*ssa.BasicBlock
	for b := range l.blocks {
		for _, s := range b.Succs {
			if !l.blocks[s] {
				out = append(out, s)
			}
		}
	}
	return out
}

// innermost returns the innermost loop around b; nil if there is none, or it has several
// ways back.
func (f *flow) innermost(b *ssa.BasicBlock) *loop {
	for h := b; h != nil; h = h.Idom() {
		var latch *ssa.BasicBlock
		for _, p := range h.Preds {
			if !h.Dominates(p) {
				continue
			}
			if latch != nil {
				return nil
			}
			latch = p
		}
		if latch == nil {
			continue
		}
		l := &loop{head: h, latch: latch, blocks: map[*ssa.BasicBlock]bool{h: true}}
		for work := []*ssa.BasicBlock{latch}; len(work) > 0; {
			x := work[len(work)-1]
			work = work[:len(work)-1]
			if !l.blocks[x] {
				l.blocks[x] = true
				work = append(work, x.Preds...)
			}
		}
		if l.blocks[b] {
			l.counts()
			return l
		}
	}
	return nil
}

// counts recognises the loops for i := range n, for i := 0; i < n; i++, and for range s.
func (l *loop) counts() {
	for _, b := range []*ssa.BasicBlock{l.head, l.latch} {
		test, ok := b.Instrs[len(b.Instrs)-1].(*ssa.If)
		if !ok || l.contains(b.Succs[1]) {
			continue
		}
		less, ok := test.Cond.(*ssa.BinOp)
		if !ok || less.Op != token.LSS {
			continue
		}
		// The number of iterations is the limit if what is tested is 0, 1, 2, … at the head, or 1,
		// 2, … at the end.
		first, ok := l.sequence(less.X)
		if ok && l.fixed(less.Y) && (b != l.latch && first == 0 || b == l.latch && first == 1 && l.guarded(test, less.Y)) {
			l.test, l.limit = test, less.Y
			return
		}
	}
}

// fixed reports whether the number v is the same in all iterations.
func (l *loop) fixed(v ssa.Value) bool {
	if x := lengthOf(v); x != nil {
		v = x
	}
	if p := lockset.PathOf(v); p.Sel == "" {
		v = p.Root
	}
	i, ok := v.(ssa.Instruction)
	return !ok || !l.contains(i.Block())
}

// guarded finds the test by which a loop that tests at its end is entered.
func (l *loop) guarded(test *ssa.If, limit ssa.Value) bool {
	for _, p := range l.head.Preds {
		if p == l.latch {
			continue
		}
		enter, ok := p.Instrs[len(p.Instrs)-1].(*ssa.If)
		if !ok || l.guard != nil || p.Succs[0] != l.head || p.Succs[1] != test.Block().Succs[1] {
			return false
		}
		less, ok := enter.Cond.(*ssa.BinOp)
		if !ok || less.Op != token.LSS || countOf(less.X) != (count{known: true}) || less.Y != limit {
			return false
		}
		l.guard = p
	}
	return l.guard != nil
}

// sequence reports whether v is first, first+1, … in the iterations of the loop.
func (l *loop) sequence(v ssa.Value) (first int64, ok bool) {
	step := int64(0)
	if add, is := v.(*ssa.BinOp); is && add.Op == token.ADD && countOf(add.Y) == (count{known: true, n: 1}) {
		v, step = add.X, 1
	}
	phi, ok := v.(*ssa.Phi)
	if !ok || phi.Block() != l.head {
		return 0, false
	}
	started := false
	for n, p := range l.head.Preds {
		if p == l.latch {
			add, is := phi.Edges[n].(*ssa.BinOp)
			if !is || add.Op != token.ADD || add.X != phi || countOf(add.Y) != (count{known: true, n: 1}) {
				return 0, false
			}
			continue
		}
		c := countOf(phi.Edges[n])
		if !c.known || c.bound != nil || started && c.n != first {
			return 0, false
		}
		first, started = c.n, true
	}
	return first + step, started
}

// bulk holds the calls of Add on one group against the goroutines that call Done, if
// not each of those has an Add(1) of its own.
type bulk struct {
	f      *function
	adds   []*access
	starts []*access
	own    int  // of starts, how many have an Add(1) of their own
	others bool // something else adds to the group
}

// add notes a call of Add, and reports whether the group may still be believed.
func (b *bulk) add(a *access) bool {
	call, ok := a.start.(*ssa.Call)
	if !ok {
		return false
	}
	c, direct := countOf(added(call)), a.who == nil && a.at == a.start
	if !direct {
		b.others = true
		return isOne(added(call))
	}
	b.adds = append(b.adds, a)
	return c.known && (c.bound != nil || c.n >= 0)
}

func added(call *ssa.Call) ssa.Value { return call.Call.Args[len(call.Call.Args)-1] }

// start notes a go statement of which the goroutine says Done.
func (b *bulk) start(a *access) bool {
	b.starts = append(b.starts, a)
	if precededByAdd(a.at, a.path) {
		b.own++
	}
	return true
}

// enough reports whether the calls of Add are enough for the goroutines, at any time.
func (b *bulk) enough() bool {
	for _, a := range b.adds {
		n := countOf(added(a.start.(*ssa.Call)))
		if n.bound != nil && lengthOf(n.bound) == nil && (len(b.adds) > 1 || b.others) {
			return false // it may be negative
		}
	}
	if b.own == len(b.starts) {
		return true
	}
	var adds, starts count
	for _, a := range b.adds {
		if makes(a.path.Root) == nil {
			return false
		}
		for _, s := range b.starts {
			if s.path != a.path || !b.f.flow.dominates(a.at, s.at) {
				return false
			}
		}
		adds = adds.plus(countOf(added(a.start.(*ssa.Call))))
	}
	for _, s := range b.starts {
		starts = starts.plus(b.f.flow.times(s.at, makes(s.path.Root)))
	}
	return starts.within(adds)
}
