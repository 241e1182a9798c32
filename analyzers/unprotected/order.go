package unprotected

import (
	"go/constant"
	"go/token"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/coopvet/coop/analyzers/internal/access"
	"github.com/coopvet/coop/escape/lockset"
	"github.com/coopvet/coop/escape/syncop"
)

// orderedUse tells whether something else than the lock orders u with the other uses of the field:
// in many programs goroutines have been waited for.
func orderedUse(u use, uses []use) bool {
	return u.Before.Group() || flagged(u, uses) || beginning(u) || lastReference(u.Instr, u.Path.Root)
}

// flagged tells whether the field is read after an atomic flag of the same object, which is set after each
// write of the field.
func flagged(u use, uses []use) bool {
	return !u.Write && slices.ContainsFunc(flags(u, syncop.AtomicLoad), func(load flag) bool {
		return before(load.at, u.Instr) && !slices.ContainsFunc(uses, func(w use) bool {
			return w.Write && !slices.ContainsFunc(flags(w, syncop.AtomicStore), func(store flag) bool {
				return store.class == load.class && before(w.Instr, store.at)
			})
		})
	})
}

// A flag is an atomic operation on a field.
type flag struct {
	class lockset.Class
	at    ssa.Instruction
}

// flags returns the operations of the kind on the object of u, in the same function.
func flags(u use, kind syncop.Kind) []flag {
	var all []flag
	for _, b := range u.fn.Blocks {
		for _, i := range b.Instrs {
			call, ok := i.(*ssa.Call)
			if !ok {
				continue
			}
			if op, args, ok := syncop.OfCall(&call.Call); ok && op.Kind == kind {
				if p := lockset.PathOf(args[op.Object]); p.Root == u.Path.Root {
					all = append(all, flag{lockset.ClassOf(p), i})
				}
			}
		}
	}
	return all
}

// before tells whether a is always executed before b is.
func before(a, b ssa.Instruction) bool {
	if a.Block() == b.Block() {
		return slices.Index(a.Block().Instrs, a) < slices.Index(b.Block().Instrs, b)
	}
	return a.Block().Dominates(b.Block())
}

// beginning tells whether the function tells after u, by a channel that it is given, that it has begun:
// who has started it waits for that.
func beginning(u use) bool {
	for _, b := range u.fn.Blocks {
		for _, i := range b.Instrs {
			if ch := signalled(i); ch != nil && before(u.Instr, i) {
				if _, param := ch.(*ssa.Parameter); param && !access.NewFlow(u.fn).Reaches(i, u.Instr) {
					return true
				}
			}
		}
	}
	return false
}

// signalled is the channel that i closes, or nil.
func signalled(i ssa.Instruction) ssa.Value {
	if c, ok := i.(*ssa.Call); ok && syncop.OfInstr(i) == syncop.Close {
		return lockset.PathOf(c.Call.Args[0]).Root
	}
	return nil
}

// lastReference tells whether i is executed only if an atomic counter of the object of root has
// become 0: then nobody else has the object.
func lastReference(i ssa.Instruction, root ssa.Value) bool {
	for _, b := range i.Parent().Blocks {
		branch, ok := b.Instrs[len(b.Instrs)-1].(*ssa.If)
		if !ok || len(b.Succs) != 2 || !counterIsZero(branch.Cond, root) {
			continue
		}
		if zero := b.Succs[0]; len(zero.Preds) == 1 && zero.Dominates(i.Block()) {
			return true
		}
	}
	return false
}

// counterIsZero tells whether cond compares the result of an atomic operation on the object with 0.
func counterIsZero(cond, root ssa.Value) bool {
	eq, ok := cond.(*ssa.BinOp)
	if !ok || eq.Op != token.EQL && eq.Op != token.LEQ {
		return false
	}
	call, ok := eq.X.(*ssa.Call)
	zero, isConst := eq.Y.(*ssa.Const)
	if !ok || !isConst || zero.Value == nil || zero.Value.Kind() != constant.Int || constant.Sign(zero.Value) != 0 {
		return false
	}
	op, args, ok := syncop.OfCall(&call.Call)
	return ok && op.Kind == syncop.AtomicRMW && lockset.PathOf(args[op.Object]).Root == root
}
