package escape

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/coopvet/coop/escape/syncop"
)

// flow answers what may be executed after what in one activation of a function.
type flow struct {
	fn    *ssa.Function
	place map[ssa.Instruction]int // in its block
	leaks map[ssa.Value][]ssa.Instruction
	given []ssa.Instruction // see gaveAway
	known bool              // given has been computed
	// recovers: a panic may end in this function, which then returns to its caller.
	recovers bool
}

// newFlow takes the names of the methods by which panics may end.
func newFlow(fn *ssa.Function, recovering map[string]bool) *flow {
	f := &flow{fn: fn, place: make(map[ssa.Instruction]int), leaks: make(map[ssa.Value][]ssa.Instruction)}
	for _, b := range fn.Blocks {
		for n, i := range b.Instrs {
			f.place[i] = n
			if d, ok := i.(*ssa.Defer); ok {
				f.recovers = f.recovers || mayRecover(&d.Call, recovering)
			}
		}
	}
	return f
}

// mayRecover reports whether a deferred call may stop a panic. A function that cancels a
// context does not.
func mayRecover(c *ssa.CallCommon, recovering map[string]bool) bool {
	if _, builtin := c.Value.(*ssa.Builtin); builtin {
		return false
	}
	if c.IsInvoke() {
		return recovering[c.Method.Name()]
	}
	if fn := c.StaticCallee(); fn != nil {
		return callsRecover(fn)
	}
	n, ok := types.Unalias(c.Value.Type()).(*types.Named)
	return !ok || n.Obj().Pkg() == nil || n.Obj().Pkg().Path() != "context"
}

// callsRecover reports whether the deferred function fn stops a panic.
func callsRecover(fn *ssa.Function) bool {
	for _, b := range fn.Blocks {
		for _, i := range b.Instrs {
			if c, ok := i.(*ssa.Call); ok {
				if f, ok := c.Call.Value.(*ssa.Builtin); ok && f.Name() == "recover" {
					return true
				}
			}
		}
	}
	return false
}

// loops reports whether i may be executed again without avoid in between.
func (f *flow) loops(i, avoid ssa.Instruction) bool {
	return i != nil && f != nil && f.reaches(i, i, avoid)
}

// reaches reports whether control may come from q to p, q ≠ p or by a loop, without
// executing avoid, which may be nil, in between. A deferred call runs at the end.
func (f *flow) reaches(q, p, avoid ssa.Instruction) bool {
	if avoid == nil {
		return f.reachesAny(q, p, nil)
	}
	return f.reachesAny(q, p, []ssa.Instruction{avoid})
}

// reachesAny is reaches with several instructions to avoid, and blocks.
func (f *flow) reachesAny(q, p ssa.Instruction, avoid []ssa.Instruction, gates ...*ssa.BasicBlock) bool {
	if f == nil || q == nil || p == nil {
		return true
	}
	if d, ok := p.(*ssa.Defer); ok {
		return q != p || f.reachesInstr(d, d, nil, nil)
	}
	if p.Block() == f.fn.Recover {
		return f.recovers
	}
	if _, ok := q.(*ssa.Defer); ok {
		return f.afterDeferred(p)
	}
	return f.reachesInstr(q, p, avoid, gates)
}

// afterDeferred reports whether p comes after the deferred calls: a named result is read
// there.
func (f *flow) afterDeferred(p ssa.Instruction) bool {
	instrs := p.Block().Instrs
	return slices.ContainsFunc(instrs[:f.place[p]], func(i ssa.Instruction) bool {
		_, ok := i.(*ssa.RunDefers)
		return ok
	})
}

func (f *flow) reachesInstr(q, p ssa.Instruction, avoid []ssa.Instruction, gates []*ssa.BasicBlock) bool {
	start := q.Block()
	if hit, blocked := f.scan(start, f.place[q]+1, p, avoid); hit || blocked {
		return hit
	}
	seen := make(map[*ssa.BasicBlock]bool)
	work := append([]*ssa.BasicBlock(nil), start.Succs...)
	for len(work) > 0 {
		b := work[len(work)-1]
		work = work[:len(work)-1]
		if seen[b] || slices.Contains(gates, b) {
			continue
		}
		seen[b] = true
		hit, blocked := f.scan(b, 0, p, avoid)
		if hit {
			return true
		}
		if !blocked {
			work = append(work, b.Succs...)
		}
	}
	return false
}

// scan looks in b from instruction n on for p, and for avoid before it.
func (f *flow) scan(b *ssa.BasicBlock, n int, p ssa.Instruction, avoid []ssa.Instruction) (hit, blocked bool) {
	at := len(b.Instrs)
	if p.Block() == b && f.place[p] >= n {
		at = f.place[p]
		hit = true
	}
	for _, a := range avoid {
		if a.Block() == b && f.place[a] >= n && f.place[a] < at {
			return false, true
		}
	}
	return hit, false
}

// makes returns the instruction if v is memory that it makes anew each time.
func makes(v ssa.Value) ssa.Instruction {
	switch v := v.(type) {
	case *ssa.Alloc, *ssa.MakeMap, *ssa.MakeSlice, *ssa.MakeChan, *ssa.MakeClosure:
		return v.(ssa.Instruction)
	}
	return nil
}

// initial reports whether nobody but the instruction's function can know the memory at
// root yet: root has just been made, and its address went nowhere since.
func (f *flow) initial(root ssa.Value, i ssa.Instruction) bool {
	return f.kept(root, i) && !slices.Contains(f.leaksOf(root), i)
}

// kept is initial for what comes before i, which may itself give the address away.
func (f *flow) kept(root ssa.Value, i ssa.Instruction) bool {
	made := makes(root)
	if made == nil || made.Parent() != f.fn || made == i {
		return false
	}
	for _, l := range f.leaksOf(root) {
		if f.reaches(l, i, made) {
			return false
		}
	}
	return true
}

// gaveAway reports whether the function may have given away, before i, an address that
// its caller has given to it, or that was in memory to which such an address leads.
func (f *flow) gaveAway(i ssa.Instruction) bool {
	if !f.known {
		f.known = true
		for _, p := range f.fn.Params {
			f.given = append(f.given, findLeaks(p, true)...)
		}
		for _, v := range f.fn.FreeVars {
			f.given = append(f.given, findLeaks(v, true)...)
		}
	}
	return slices.ContainsFunc(f.given, func(l ssa.Instruction) bool { return f.reaches(l, i, nil) })
}

func (f *flow) leaksOf(root ssa.Value) []ssa.Instruction {
	leaks, ok := f.leaks[root]
	if !ok {
		leaks = findLeaks(root, false)
		f.leaks[root] = leaks
	}
	return leaks
}

// findLeaks returns the instructions by which the address v, or one into the same
// memory, leaves the variables and temporaries of its function. If deep, the same goes
// for addresses that are found in that memory.
func findLeaks(v ssa.Value, deep bool) []ssa.Instruction {
	var leaks []ssa.Instruction
	holds := map[ssa.Value]bool{v: deep} // local variables in which the address is
	seen := map[ssa.Value]bool{v: true}
	work := []ssa.Value{v}
	add := func(x ssa.Value) {
		if !seen[x] {
			seen[x] = true
			work = append(work, x)
		}
	}
	for len(work) > 0 {
		v := work[len(work)-1]
		work = work[:len(work)-1]
		for _, r := range *v.Referrers() {
			switch r := r.(type) {
			case *ssa.FieldAddr, *ssa.IndexAddr, *ssa.ChangeType, *ssa.ChangeInterface, *ssa.MakeInterface, *ssa.Slice,
				*ssa.TypeAssert, *ssa.Extract, *ssa.Phi:
				x := r.(ssa.Value)
				if holds[v] {
					holds[x] = true
				}
				add(x)
			case *ssa.UnOp:
				if holds[v] && (!deep || carriesPointer([]ssa.Value{r})) {
					holds[r] = deep
					add(r)
				}
			case *ssa.Store:
				if r.Val != v {
					break
				}
				a, ok := r.Addr.(*ssa.Alloc)
				if !ok {
					leaks = append(leaks, r)
					break
				}
				if !holds[a] {
					holds[a] = true
					delete(seen, a)
					add(a)
				}
			case *ssa.MapUpdate:
				if r.Key == v || r.Value == v {
					leaks = append(leaks, r)
				}
			case *ssa.Call:
				if !harmless(&r.Call) {
					leaks = append(leaks, r)
				} else if _, builtin := r.Call.Value.(*ssa.Builtin); builtin {
					add(r)
				}
			case *ssa.Lookup, *ssa.Range, *ssa.Index, *ssa.Field:
				if x := r.(ssa.Value); deep && carriesPointer([]ssa.Value{x}) {
					holds[x] = true
					add(x)
				}
			case *ssa.BinOp, *ssa.DebugRef, *ssa.Return, *ssa.If:
			default:
				leaks = append(leaks, r)
			}
		}
	}
	return leaks
}

// harmless reports whether a call keeps no address that it is given: a builtin, whose
// result may have it, or an operation on a lock or an atomic variable.
func harmless(c *ssa.CallCommon) bool {
	if b, ok := c.Value.(*ssa.Builtin); ok {
		return b.Name() != "panic"
	}
	op, args, ok := syncop.OfCall(c)
	if !ok {
		return false
	}
	switch op.Kind {
	case syncop.GroupAdd, syncop.GroupDone, syncop.GroupWait, syncop.CondWait, syncop.CondSignal, syncop.CondBroadcast:
		return true
	case syncop.AtomicLoad, syncop.AtomicStore, syncop.AtomicRMW:
		return len(args) > 0 && !carriesPointer(args[1:])
	}
	return (op.Kind.IsAcquire() || op.Kind.IsRelease()) && !op.Dynamic
}
