package atomicity

import (
	"fmt"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/coopvet/coop/analyzers/internal/access"
	"github.com/coopvet/coop/escape/lockset"
	"github.com/coopvet/coop/escape/syncop"
)

// atomics reports combinations of atomic operations that are not atomic.
func (c *checker) atomics() {
	for _, o := range c.ops {
		switch o.kind {
		case syncop.AtomicStore:
			if !c.lostUpdate(o) {
				c.testThenStore(o)
			}
		case syncop.AtomicRMW:
			c.unusedResult(o)
		case syncop.AtomicLoad:
			c.loadedTwice(o)
		}
	}
}

// lostUpdate reports a store of what was computed from a load.
func (c *checker) lostUpdate(store operation) bool {
	if len(store.args) == 0 {
		return false
	}
	var load ssa.Instruction
	depends := dependsOn(store.args[0], func(v ssa.Value) bool {
		call, ok := v.(*ssa.Call)
		if !ok || !c.loads(call, store.path) || c.foundUnset(call, store.call) || c.writesBeside(call, store) || c.claimed(call, store.call) {
			return false
		}
		load = call
		return true
	})
	if depends {
		c.report(store.call.Pos(), "lostupdate",
			fmt.Sprintf("%s is stored after it was loaded: what another goroutine stores in between is lost", place(store.path)),
			at(load.Pos(), "it is loaded here"))
	}
	return depends
}

// writesBeside tells whether the function writes other memory of the object, without a lock,
// between load and store. That would be a data race if it were not the only one that writes.
func (c *checker) writesBeside(load *ssa.Call, store operation) bool {
	object := store.path.Sel[:max(strings.LastIndexByte(store.path.Sel, '.'), 0)]
	for _, b := range c.fn.Blocks {
		for _, i := range b.Instrs {
			w, ok := i.(*ssa.Store)
			if !ok {
				continue
			}
			p := lockset.PathOf(w.Addr)
			if p.Root == store.path.Root && len(p.Sel) > len(object) && strings.HasPrefix(p.Sel, object) && c.flow.Reaches(load, w) && c.flow.Reaches(w, store.call) {
				return true
			}
		}
	}
	return false
}

// claimed tells whether a and b are executed only by the goroutine whose compare-and-swap has
// set a variable, which is stored afterwards to let others do the same: a lock without a
// mutex.
func (c *checker) claimed(a, b ssa.Instruction) bool {
	return slices.ContainsFunc(c.ops, func(claim operation) bool {
		if claim.kind != syncop.AtomicRMW || !strings.HasPrefix(claim.name, "CompareAndSwap") {
			return false
		}
		only := func(branch *ssa.BasicBlock) bool { return c.guards(branch, a) && c.guards(branch, b) }
		return slices.ContainsFunc(tested(claim.call), only) && c.storedAfter(claim, a, b)
	})
}

// storedAfter tells whether what o has changed is stored after a and b, or when the function
// returns.
func (c *checker) storedAfter(o operation, a, b ssa.Instruction) bool {
	for _, block := range c.fn.Blocks {
		for _, i := range block.Instrs {
			call, ok := i.(ssa.CallInstruction)
			if !ok {
				continue
			}
			op, args, ok := syncop.OfCall(call.Common())
			if !ok || op.Kind != syncop.AtomicStore || lockset.PathOf(args[op.Object]) != o.path {
				continue
			}
			_, deferred := i.(*ssa.Defer)
			if deferred && c.flow.Reaches(o.call, i) || c.flow.Reaches(a, i) && c.flow.Reaches(b, i) {
				return true
			}
		}
	}
	return false
}

// foundUnset tells whether i is executed only if the load yielded a constant such as 0, so
// that i sets what was not set, and does not change it.
func (c *checker) foundUnset(load *ssa.Call, i ssa.Instruction) bool {
	for _, ref := range *load.Referrers() {
		eq, ok := ref.(*ssa.BinOp)
		if !ok || eq.Op != token.EQL && eq.Op != token.NEQ {
			continue
		}
		if _, constant := eq.Y.(*ssa.Const); !constant {
			continue
		}
		for _, b := range tested(eq) {
			if c.guards(b, i) {
				return true
			}
		}
	}
	return false
}

// loads tells whether the call loads what is at path, itself or as a function of the package
// that returns what it loads.
func (c *checker) loads(call *ssa.Call, path lockset.Path) bool {
	if op, args, ok := syncop.OfCall(&call.Call); ok {
		return op.Kind == syncop.AtomicLoad && lockset.PathOf(args[op.Object]) == path
	}
	t := access.CalledBy(&call.Call)
	if t == nil || len(t.Fn.Blocks) == 0 || t.Fn == c.fn {
		return false
	}
	for _, b := range t.Fn.Blocks {
		ret, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Return)
		if !ok {
			continue
		}
		for n := range ret.Results {
			if dependsOn(access.Result(ret, n), func(v ssa.Value) bool { return loadsAs(t, v, path) }) {
				return true
			}
		}
	}
	return false
}

// loadsAs tells whether v, in the function of t, is an atomic load of what is path for the
// caller.
func loadsAs(t *access.Target, v ssa.Value, path lockset.Path) bool {
	call, ok := v.(*ssa.Call)
	if !ok {
		return false
	}
	op, args, ok := syncop.OfCall(&call.Call)
	if !ok || op.Kind != syncop.AtomicLoad {
		return false
	}
	p, ok := t.Translate(lockset.PathOf(args[op.Object]))
	return ok && p == path
}

// testThenStore reports a store in a branch that a load of the same variable has chosen, if
// more is done there.
func (c *checker) testThenStore(store operation) {
	for _, load := range c.ops {
		if load.kind != syncop.AtomicLoad || load.path != store.path || c.acts(store) == nil || c.claimed(load.call, store.call) {
			continue
		}
		for _, b := range tested(load.call) {
			if slices.Contains(b.Succs, store.call.Block()) && c.guards(b, store.call) && !c.swapsBetween(load, store) && !c.spins(b, store.call) {
				c.report(store.call.Pos(), "test",
					fmt.Sprintf("%s is tested and set in two steps: two goroutines can pass the test", place(store.path)),
					at(load.call.Pos(), "it is tested here"))
				return
			}
		}
	}
}

// spins tells whether the branch at the end of b ends a loop that waits until i may be executed.
func (c *checker) spins(b *ssa.BasicBlock, i ssa.Instruction) bool {
	last := b.Instrs[len(b.Instrs)-1]
	return inLoop(c.flow, last) && !c.flow.Reaches(i, last)
}

func inLoop(flow *access.Flow, i ssa.Instruction) bool { return flow.Reaches(i, i) }

// acts returns another call with an effect in the block of the store.
func (c *checker) acts(store operation) ssa.Instruction {
	for _, i := range store.call.Block().Instrs {
		call, ok := i.(ssa.CallInstruction)
		if !ok || call == ssa.CallInstruction(store.call) {
			continue
		}
		if _, builtin := call.Common().Value.(*ssa.Builtin); builtin {
			continue
		}
		if op, _, ok := syncop.OfCall(call.Common()); ok && op.Kind.IsAtomic() || readsClock(call.Common()) {
			continue
		}
		return i
	}
	return nil
}

// readsClock tells whether the call is one of time.Now or of a method of its result.
func readsClock(c *ssa.CallCommon) bool {
	fn := c.StaticCallee()
	if fn == nil || fn.Pkg == nil || fn.Pkg.Pkg.Path() != "time" {
		return false
	}
	recv := fn.Signature.Recv()
	return recv == nil && fn.Name() == "Now" || recv != nil && recv.Type().String() == "time.Time"
}

// swapsBetween tells whether a compare-and-swap decides after all.
func (c *checker) swapsBetween(load, store operation) bool {
	return slices.ContainsFunc(c.ops, func(o operation) bool {
		return o.kind == syncop.AtomicRMW && o.path == load.path && c.flow.Reaches(load.call, o.call) && c.flow.Reaches(o.call, store.call)
	})
}

// unusedResult reports an Add whose result is not used: behind a test of a load, or before one.
func (c *checker) unusedResult(add operation) {
	if add.name != "Add" && add.name != "AddInt32" && add.name != "AddInt64" && add.name != "AddUint32" && add.name != "AddUint64" {
		return
	}
	if len(*add.call.Referrers()) > 0 {
		return
	}
	for _, load := range c.ops {
		if load.kind != syncop.AtomicLoad || load.path != add.path || c.claimed(load.call, add.call) {
			continue
		}
		branches := tested(load.call)
		if add.call.Block() == load.call.Block() && before(add.call, load.call) && len(branches) > 0 && comparesConst(load.call) {
			c.report(load.call.Pos(), "result",
				fmt.Sprintf("%s is loaded after it was changed: another goroutine may have changed it, too; the result of Add is what this one made it", place(add.path)),
				at(add.call.Pos(), "it is changed here"))
			return
		}
		for _, b := range branches {
			if c.guards(b, add.call) && comparesConst(load.call) && !c.usesResult(add.path) {
				c.report(add.call.Pos(), "test",
					fmt.Sprintf("%s is tested and changed in two steps: two goroutines can pass the test", place(add.path)),
					at(load.call.Pos(), "it is tested here"))
				return
			}
		}
	}
}

// usesResult tells whether the result of a change at path decides about something.
func (c *checker) usesResult(path lockset.Path) bool {
	return slices.ContainsFunc(c.ops, func(o operation) bool {
		return o.kind == syncop.AtomicRMW && o.path == path && len(*o.call.Referrers()) > 0
	})
}

func before(a, b ssa.Instruction) bool {
	for _, i := range a.Block().Instrs {
		switch i {
		case a:
			return true
		case b:
			return false
		}
	}
	return false
}

// comparesConst tells whether the loaded value is compared as a number.
func comparesConst(load *ssa.Call) bool {
	for _, ref := range *load.Referrers() {
		if b, ok := ref.(*ssa.BinOp); ok {
			switch b.Op {
			case token.EQL, token.LSS, token.LEQ, token.GTR, token.GEQ:
				return true
			}
		}
	}
	return false
}

// loadedTwice reports a second load of a pointer or interface whose parts are used, as those of
// the first.
func (c *checker) loadedTwice(second operation) {
	if second.name != "Load" || !usesParts(second.call) || c.changes(second.path) {
		return
	}
	for _, first := range c.ops {
		if first.kind != syncop.AtomicLoad || first.path != second.path || first.call == second.call || !usesParts(first.call) {
			continue
		}
		if !first.call.Block().Dominates(second.call.Block()) || c.flow.Reaches(second.call, first.call) ||
			first.call.Block() == second.call.Block() && !before(first.call, second.call) || c.waits(first.call, second.call, second.path.Root) || c.claimed(first.call, second.call) {
			continue
		}
		c.report(second.call.Pos(), "twice",
			fmt.Sprintf("%s is loaded again: the parts that are used may belong to two versions", place(second.path)),
			at(first.call.Pos(), "it has been loaded here"))
		return
	}
}

// usesParts tells whether what the loaded pointer or interface refers to is used.
func usesParts(load *ssa.Call) bool {
	switch load.Type().Underlying().(type) {
	case *types.Pointer, *types.Interface:
	default:
		return false
	}
	for _, ref := range *load.Referrers() {
		switch ref := ref.(type) {
		case *ssa.FieldAddr:
			return true
		case *ssa.UnOp:
			return ref.Op == token.MUL
		case *ssa.TypeAssert:
			for _, use := range *ref.Referrers() {
				switch use.(type) {
				case *ssa.Field, *ssa.FieldAddr:
					return true
				case *ssa.Store:
					return true // spilled to take a field of it
				}
			}
		}
	}
	return false
}

// changes tells whether the function itself stores at path.
func (c *checker) changes(path lockset.Path) bool {
	return slices.ContainsFunc(c.ops, func(o operation) bool { return o.path == path && o.kind != syncop.AtomicLoad })
}

// waits tells whether something comes between a and b that synchronises, or that may change
// the object, so that another version may be wanted.
func (c *checker) waits(a, b ssa.Instruction, object ssa.Value) bool {
	for _, blk := range c.fn.Blocks {
		for _, i := range blk.Instrs {
			call, ok := i.(ssa.CallInstruction)
			if !ok || !c.flow.Reaches(a, i) || !c.flow.Reaches(i, b) {
				continue
			}
			if op, _, ok := syncop.OfCall(call.Common()); ok {
				if !op.Kind.IsAtomic() {
					return true
				}
				continue
			}
			// A call that is given the object may change it.
			for _, arg := range call.Common().Args {
				if lockset.PathOf(arg).Root == object {
					return true
				}
			}
		}
	}
	return false
}
