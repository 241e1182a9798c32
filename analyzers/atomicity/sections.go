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

// A read is a value that was read with a lock held.
type read struct {
	value ssa.Value
	instr ssa.Instruction // the read, or the call of the function that reads
	path  lockset.Path
	lock  lockset.Path
	call  bool // the called function takes and releases the lock
	held  lockset.Set
}

// sections reports a write in one critical section that depends on a read in another.
func (c *checker) sections() {
	reads := c.reads()
	if len(reads) == 0 || c.keepsOthersOut() {
		return
	}
	reported := make(map[lockset.Path]bool)
	for _, w := range c.accesses.Of(c.fn).Accesses {
		if _, local := w.Path.Root.(*ssa.Alloc); local || !w.Write || reported[w.Path] || len(w.Calls) > 0 || idempotent(w.Instr) {
			continue
		}
		for _, h := range w.Held {
			if r := c.splitFrom(w, h, reads); r != nil && !c.readAgain(w, h, reads) && !c.ownState(w, *r) && !c.reserves(*r) {
				reported[w.Path] = true
				c.reportSection(w, *r)
			}
		}
	}
}

// keepsOthersOut tells whether fn waits for a condition, since who does is mostly the only one
// who changes it back, or takes a lock of another kind, such as one for a key.
func (c *checker) keepsOthersOut() bool {
	for _, b := range c.fn.Blocks {
		for _, i := range b.Instrs {
			call, ok := i.(ssa.CallInstruction)
			if !ok {
				continue
			}
			if op, _, ok := syncop.OfCall(call.Common()); ok {
				if op.Kind == syncop.CondWait {
					return true
				}
				continue
			}
			name := ""
			if m := call.Common().Method; m != nil {
				name = m.Name()
			} else if fn := call.Common().StaticCallee(); fn != nil && fn.Signature.Recv() != nil {
				name = fn.Name()
			}
			switch name {
			case "Lock", "RLock", "Acquire", "Enter":
				return true
			}
		}
	}
	return false
}

// idempotent tells whether it does not matter if the write is done twice or late: a deletion
// from a map, or the store of an error.
func idempotent(i ssa.Instruction) bool {
	switch i := i.(type) {
	case *ssa.Call:
		return true
	case *ssa.Store:
		return types.Identical(i.Val.Type(), types.Universe.Lookup("error").Type())
	}
	return false
}

// reads lists what the function reads with a lock held, and what it gets from functions that
// read with a lock held.
func (c *checker) reads() []read {
	var all []read
	c.locks.Walk(func(i ssa.Instruction, held lockset.Set) {
		if call, ok := i.(*ssa.Call); ok {
			if r, ok := c.getter(call); ok && !held.Has(r.lock) {
				r.held = held
				all = append(all, r)
			}
			return
		}
		v, path, ok := loaded(i)
		if !ok {
			return
		}
		for _, h := range held {
			all = append(all, read{value: v, instr: i, path: path, lock: h.Lock, held: held})
		}
	})
	return all
}

// loaded tells what i reads: a variable, or an element of a map.
func loaded(i ssa.Instruction) (ssa.Value, lockset.Path, bool) {
	switch i := i.(type) {
	case *ssa.UnOp:
		if i.Op == token.MUL {
			return i, lockset.PathOf(i.X), true
		}
	case *ssa.Lookup:
		if _, ok := i.X.Type().Underlying().(*types.Map); ok {
			return i, lockset.PathOf(i.X), true
		}
	}
	return nil, lockset.Path{}, false
}

// getter recognises a call of a method that takes a lock, reads a location, releases the lock
// and returns what it has read.
func (c *checker) getter(call *ssa.Call) (read, bool) {
	t := access.CalledBy(&call.Call)
	if t == nil || len(t.Fn.Blocks) == 0 || t.Fn.Pkg != c.fn.Pkg {
		return read{}, false
	}
	f := c.result.Of(t.Fn)
	if len(f.Returns) != 1 || len(f.Returns[0].Instr.Results) != 1 {
		return read{}, false
	}
	result := access.Result(f.Returns[0].Instr, 0)
	instr, ok := result.(ssa.Instruction)
	if !ok {
		return read{}, false
	}
	_, path, ok := loaded(instr)
	if !ok {
		return read{}, false
	}
	for _, h := range f.Before(instr) {
		lock, ok1 := t.Translate(h.Lock)
		place, ok2 := t.Translate(path)
		if ok1 && ok2 && !f.Returns[0].Held.Has(h.Lock) {
			return read{value: call, instr: call, path: place, lock: lock, call: true}, true
		}
	}
	return read{}, false
}

// splitFrom returns the read of what w writes, with the same lock held in another critical
// section, on which w depends.
func (c *checker) splitFrom(w access.Access, h lockset.Held, reads []read) *read {
	for _, r := range reads {
		if r.lock != h.Lock || h.Reading || !access.Overlap(r.path, w.Path) || !c.flow.Reaches(r.instr, w.Instr) {
			continue
		}
		if !r.call && c.sameSection(r, w.Instr) || outer(r, w) {
			continue
		}
		if slices.ContainsFunc(tested(r.value), func(b *ssa.BasicBlock) bool { return c.guards(b, w.Instr) }) {
			return &r
		}
	}
	return nil
}

// outer tells whether another lock is held at both the read and the write, perhaps all the way.
func outer(r read, w access.Access) bool {
	return slices.ContainsFunc(r.held, func(h lockset.Held) bool { return h.Lock != r.lock && w.Held.Has(h.Lock) })
}

// sameSection tells whether the lock of r may be held all the way from r to i.
func (c *checker) sameSection(r read, i ssa.Instruction) bool {
	return c.flow.Until(r.instr, func(j ssa.Instruction) bool { return c.releases(j, r.lock) })[i]
}

func (c *checker) releases(i ssa.Instruction, lock lockset.Path) bool {
	call, ok := i.(*ssa.Call)
	if !ok {
		return false
	}
	op, args, ok := syncop.OfCall(&call.Call)
	if ok {
		return op.Kind.IsRelease() && lockset.PathOf(args[op.Object]) == lock || op.Kind == syncop.CondWait
	}
	t := access.CalledBy(&call.Call)
	if t == nil {
		return false
	}
	return slices.ContainsFunc(c.result.Summary(t.Fn).Releases, func(r lockset.Ref) bool {
		return strings.HasSuffix(lock.Sel, r.Sel)
	})
}

// readAgain tells whether w depends on a look at the same location in its own section, or in one around both.
func (c *checker) readAgain(w access.Access, h lockset.Held, reads []read) bool {
	return slices.ContainsFunc(reads, func(r read) bool {
		return !r.call && r.lock == h.Lock && related(r.path, w.Path) && c.flow.Reaches(r.instr, w.Instr) && (c.sameSection(r, w.Instr) || outer(r, w)) &&
			slices.ContainsFunc(tested(r.value), func(b *ssa.BasicBlock) bool { return c.guards(b, w.Instr) })
	})
}

// ownState tells whether the function itself has written the location between the read and
// the write, so that the write belongs to its own change.
func (c *checker) ownState(w access.Access, r read) bool {
	return slices.ContainsFunc(c.accesses.Of(c.fn).Accesses, func(a access.Access) bool {
		return a.Write && a.At() != w.At() && access.Overlap(a.Path, w.Path) && c.flow.Reaches(r.instr, a.At()) && c.flow.Reaches(a.At(), w.At()) &&
			!c.sameSection(read{instr: a.At(), lock: r.lock}, w.At())
	})
}

// reserves tells whether the function writes something else of the object in the section of
// the read, which may keep others out.
func (c *checker) reserves(r read) bool {
	return !r.call && slices.ContainsFunc(c.accesses.Of(c.fn).Accesses, func(a access.Access) bool {
		return a.Write && a.Path.Root == r.path.Root && c.flow.Reaches(r.instr, a.At()) && c.sameSection(r, a.At())
	})
}

// related tells whether two paths are of the same object: a look at another field of it, or
// at its version, may be as good as one at the field itself.
func related(a, b lockset.Path) bool { return a.Root == b.Root }

func (c *checker) reportSection(w access.Access, r read) {
	message := fmt.Sprintf("%s is written although the condition was read before %s was released: it may have changed", place(w.Path), r.lock)
	if r.call {
		message = fmt.Sprintf("%s is written although the condition was read in a call that has released %s: it may have changed", place(w.Path), r.lock)
	}
	c.report(w.Instr.Pos(), "recheck", message, at(r.instr.Pos(), "the condition is read here"))
}

// place is a path for people.
func place(p lockset.Path) string { return strings.TrimSuffix(p.String(), ".") }
