package escape

import (
	"go/constant"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/coopvet/coop/escape/lockset"
	"github.com/coopvet/coop/escape/syncop"
)

// Joins: which instructions of a function are executed only when the goroutines that a
// go statement has started before are over. A WaitGroup is believed if it is known in
// one function only (it and what is started there), if each goroutine that it counts
// is preceded by an Add(1) of its own, or one Add is for all of them, and each ends with
// one Done. Then Wait cannot return while one of them is still accessing memory.

// groupOps is the field of a wait group's node that holds its operations, as accesses.
const groupOps = -5

// groupOp notes an operation on a wait group.
func (e *engine) groupOp(f *function, i ssa.CallInstruction, op syncop.Op, args []ssa.Value) {
	g := e.field(e.deref(e.val(f, args[op.Object])), groupOps)
	a := access{write: true, group: op.Kind, path: lockset.PathOf(args[op.Object]), frame: f, at: i, start: i}
	e.add(f, g, a)
}

func isOne(v ssa.Value) bool {
	c, ok := v.(*ssa.Const)
	if !ok || c.Value == nil {
		return false
	}
	n, exact := constant.Int64Val(c.Value)
	return exact && n == 1
}

// joins finds, for each instruction of f that starts goroutines, the instructions that
// wait for their end.
func (e *engine) joins(f *function) {
	f.joined = make(map[ssa.Instruction]barriers)
	if f.recursive || f.fn == nil {
		return
	}
	for _, l := range f.locs {
		if l.up != nil || l.escaped || l.global || l.outside || l.foreign {
			continue
		}
		if ops := l.fields[groupOps]; ops != nil {
			e.joinsOf(f, ops.find().accesses)
		}
		if ops := l.fields[chanOps]; ops != nil {
			e.channelJoins(f, ops.find().accesses)
		}
	}
}

// joinsOf looks at the operations on one wait group.
func (e *engine) joinsOf(f *function, ops []access) {
	waits := make(map[lockset.Path][]ssa.Instruction)
	starts := make(map[ssa.Instruction]lockset.Path)
	bulk := bulk{f: f}
	for _, a := range ops {
		_, called := a.at.(*ssa.Call)
		if a.frame != f || a.at == nil || a.path.Root == nil || !a.path.Constant() {
			return
		}
		switch a.group {
		case syncop.GroupWait:
			if called && a.who == nil && a.at == a.start {
				waits[a.path] = append(waits[a.path], a.at)
			}
		case syncop.Spawn:
			if !called || a.who != nil || a.at != a.start {
				return // in a function that is called, or another goroutine
			}
			starts[a.at] = a.path
			bulk.others = true
		case syncop.GroupAdd:
			// Add(1) may only make Wait wait longer.
			if !bulk.add(&a) {
				return
			}
		case syncop.GroupDone:
			if a.who == nil || a.who.inner != nil || a.who.outer != nil || !endsWithDone(a) || !bulk.start(&a) {
				return
			}
			if _, twice := starts[a.at]; twice {
				return
			}
			starts[a.at] = a.path
		default:
			return
		}
	}
	if !bulk.enough() {
		return
	}
	for start, path := range starts {
		if f.outlived[start] {
			continue
		}
		for _, w := range waits[path] {
			// With a new group in between, the wait is for others.
			if made := makes(path.Root); made == nil || !f.flow.reaches(start, made, w) {
				f.join(start, barriers{at: []ssa.Instruction{w}})
			}
		}
	}
}

// endsWithDone reports whether the goroutine that a.at starts executes the Done a once,
// after everything else that it does.
func endsWithDone(a access) bool {
	return endsWith(a) && countDone(a.start.Parent()) == 1
}

// endsWith reports whether the goroutine that a.at starts executes a.start at most once,
// after everything else that it does.
func endsWith(a access) bool {
	g, ok := a.at.(*ssa.Go)
	if !ok || a.start == nil {
		return false
	}
	fn := g.Call.StaticCallee()
	if fn == nil || a.start.Parent() != fn {
		return false
	}
	if d, ok := a.start.(*ssa.Defer); ok {
		if d.Block() != fn.Blocks[0] {
			return false
		}
		// Deferred first, it runs last.
		for _, b := range fn.Blocks {
			for _, i := range b.Instrs {
				if other, ok := i.(*ssa.Defer); ok && other != d && b == d.Block() && before(other, d) {
					return false
				}
			}
		}
		return true
	}
	// The last statement, on the only way out.
	instrs := slices.DeleteFunc(slices.Clone(a.start.Block().Instrs), func(i ssa.Instruction) bool {
		_, debug := i.(*ssa.DebugRef)
		return debug
	})
	n := len(instrs)
	_, ret := instrs[n-1].(*ssa.Return)
	return ret && n >= 2 && instrs[n-2] == a.start && fn.Recover == nil && returns(fn) == 1
}

func before(i, j ssa.Instruction) bool {
	for _, k := range i.Block().Instrs {
		if k == i {
			return true
		}
		if k == j {
			return false
		}
	}
	return false
}

func returns(fn *ssa.Function) int {
	n := 0
	for _, b := range fn.Blocks {
		if _, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Return); ok {
			n++
		}
	}
	return n
}

// countDone counts the calls of Done in fn.
func countDone(fn *ssa.Function) int {
	n := 0
	for _, b := range fn.Blocks {
		for _, i := range b.Instrs {
			if c, ok := i.(ssa.CallInstruction); ok {
				if op, _, ok := syncop.OfCall(c.Common()); ok && op.Kind == syncop.GroupDone {
					n++
				}
			}
		}
	}
	return n
}

// precededByAdd reports whether an Add(1) to the group at path comes right before the
// go statement, with no other go statement in between that it could be for.
func precededByAdd(g ssa.Instruction, path lockset.Path) bool {
	instrs := g.Block().Instrs
	found := false
	for _, i := range instrs {
		switch i := i.(type) {
		case *ssa.Go:
			if i == g {
				return found
			}
			found = false
		case *ssa.Call:
			op, args, ok := syncop.OfCall(&i.Call)
			if ok && op.Kind == syncop.GroupAdd && isOne(args[1]) && lockset.PathOf(args[0]) == path {
				found = true
			}
		}
	}
	return false
}

// barriers are places that control does not pass before the goroutines of a go statement
// are over.
type barriers struct {
	at      []ssa.Instruction // behind these
	entries []*ssa.BasicBlock // at the beginning of these
}

// join notes that the goroutines that q starts are over behind w.
func (f *function) join(q ssa.Instruction, w barriers) {
	old := f.joined[q]
	f.joined[q] = barriers{append(old.at, w.at...), append(old.entries, w.entries...)}
}

// mayRunAt reports whether a goroutine that q has started may still run when the
// instruction p of the same function is executed.
func (f *function) mayRunAt(q, p, avoid ssa.Instruction) bool {
	if f.flow == nil || q == nil || p == nil {
		return true
	}
	w := f.joined[q]
	at := w.at
	if avoid != nil {
		at = append(slices.Clip(at), avoid)
	}
	return f.flow.reachesAny(q, p, at, w.entries...)
}

// endsWithin reports whether a goroutine of f is over when f returns.
func (f *function) endsWithin(t *thread) bool {
	return !f.flow.recovers && (t.ended || f.overAtReturn(t.at))
}

// joinsAll reports whether all goroutines that f starts are over when it returns.
func (f *function) joinsAll() bool {
	return !slices.ContainsFunc(f.starts, func(q ssa.Instruction) bool { return !f.overAtReturn(q) })
}

// overAtReturn reports whether the goroutines that q starts are over when f returns.
func (f *function) overAtReturn(q ssa.Instruction) bool {
	w, joined := f.joined[q]
	if !joined || f.flow == nil || f.recursive {
		return false
	}
	for _, b := range f.fn.Blocks {
		switch last := b.Instrs[len(b.Instrs)-1].(type) {
		case *ssa.Return, *ssa.Panic:
			if f.flow.reachesAny(q, last, w.at, w.entries...) {
				return false
			}
		}
	}
	return true
}
