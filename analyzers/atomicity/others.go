package atomicity

import (
	"fmt"
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/coopvet/coop/analyzers/internal/access"
	"github.com/coopvet/coop/escape/lockset"
	"github.com/coopvet/coop/escape/syncop"
)

// syncMaps reports a Load of a sync.Map that decides about a Store or Delete of the same key.
func (c *checker) syncMaps() {
	for _, act := range c.ops {
		if act.kind != syncop.SyncMap || act.name != "Store" && act.name != "Delete" || len(act.args) == 0 {
			continue
		}
		for _, load := range c.ops {
			if load.kind != syncop.SyncMap || load.name != "Load" || load.path != act.path || !sameKey(load.args[0], act.args[0]) {
				continue
			}
			if !c.decides(load.call, act.call) || access.CallerHolds(c.fn) {
				continue
			}
			better := "LoadOrStore"
			if act.name == "Delete" {
				better = "LoadAndDelete"
			}
			c.report(act.call.Pos(), "syncmap",
				fmt.Sprintf("%s of %s depends on a Load before: another goroutine can come in between; %s is one step", act.name, place(act.path), better),
				at(load.call.Pos(), "it is loaded here"))
			break
		}
	}
}

// decides tells whether a branch that depends on what a yields decides about b.
func (c *checker) decides(a *ssa.Call, b ssa.Instruction) bool {
	for _, blk := range tested(a) {
		if c.guards(blk, b) {
			return true
		}
	}
	return false
}

// sameKey tells whether two values are surely equal.
func sameKey(a, b ssa.Value) bool {
	if x, ok := a.(*ssa.MakeInterface); ok {
		a = x.X
	}
	if x, ok := b.(*ssa.MakeInterface); ok {
		b = x.X
	}
	if a == b {
		return true
	}
	x, ok1 := a.(*ssa.Const)
	y, ok2 := b.(*ssa.Const)
	return ok1 && ok2 && x.Value != nil && y.Value != nil && x.Value.ExactString() == y.Value.ExactString()
}

// channels reports a close after a look whether the channel is open, and a send after a look
// whether it has room.
func (c *checker) channels() {
	c.locks.Walk(func(i ssa.Instruction, held lockset.Set) {
		if len(held) > 0 {
			return
		}
		switch i := i.(type) {
		case *ssa.Call:
			if b, ok := i.Call.Value.(*ssa.Builtin); ok && b.Name() == "close" {
				c.closeIfOpen(i)
			}
		case *ssa.Send:
			c.sendIfRoom(i)
			c.sendIfOpen(i)
		}
	})
}

// closeIfOpen reports a close in the default case of a select that receives from the channel.
func (c *checker) closeIfOpen(call *ssa.Call) {
	path := lockset.PathOf(call.Call.Args[0])
	if own(path) || !c.public() {
		return
	}
	for _, b := range c.fn.Blocks {
		for _, i := range b.Instrs {
			sel, ok := i.(*ssa.Select)
			if !ok || sel.Blocking || len(sel.States) != 1 || sel.States[0].Send != nil || lockset.PathOf(sel.States[0].Chan) != path {
				continue
			}
			if !b.Dominates(call.Block()) || !c.defaultCase(sel, call) {
				continue
			}
			c.report(call.Pos(), "close",
				fmt.Sprintf("%s is closed if it is found open: two goroutines can find it so, and the second close panics", place(path)),
				at(sel.Pos(), "it is found open here"))
			return
		}
	}
}

// public tells whether any package may call the function, from any goroutine.
func (c *checker) public() bool {
	obj, ok := c.fn.Object().(*types.Func)
	if !ok || !obj.Exported() {
		return false
	}
	recv := obj.Signature().Recv()
	if recv == nil {
		return true
	}
	t := recv.Type()
	if p, ok := t.(*types.Pointer); ok {
		t = p.Elem()
	}
	n, ok := types.Unalias(t).(*types.Named)
	return ok && n.Obj().Exported()
}

// defaultCase tells whether i is executed only if the select chose its default case.
func (c *checker) defaultCase(sel *ssa.Select, i ssa.Instruction) bool {
	for _, ref := range *sel.Referrers() {
		e, ok := ref.(*ssa.Extract)
		if !ok || e.Index != 0 {
			continue
		}
		for _, b := range tested(e) {
			if len(b.Succs) == 2 && !reaches(b.Succs[0], i.Block(), b) && reaches(b.Succs[1], i.Block(), b) {
				return true
			}
		}
	}
	return false
}

func own(p lockset.Path) bool {
	switch p.Root.(type) {
	case *ssa.Alloc, *ssa.MakeChan:
		return true
	}
	return false
}

// sendIfRoom reports a send that depends on a comparison of len and cap of the channel.
func (c *checker) sendIfRoom(send *ssa.Send) {
	path := lockset.PathOf(send.Chan)
	if own(path) {
		return
	}
	for _, b := range c.fn.Blocks {
		cmp, ok := b.Instrs[len(b.Instrs)-1].(*ssa.If)
		if !ok || !c.guards(b, send) {
			continue
		}
		op, ok := cmp.Cond.(*ssa.BinOp)
		if !ok || !(isOf("len", op.X, path) && isOf("cap", op.Y, path) || isOf("cap", op.X, path) && isOf("len", op.Y, path)) {
			continue
		}
		c.report(send.Pos(), "full",
			fmt.Sprintf("the send to %s follows a look whether there is room: it blocks if another goroutine was faster", place(path)),
			at(op.Pos(), "the look is here"))
		return
	}
}

// isOf tells whether v is the builtin applied to the channel.
func isOf(builtin string, v ssa.Value, path lockset.Path) bool {
	call, ok := v.(*ssa.Call)
	if !ok {
		return false
	}
	b, ok := call.Call.Value.(*ssa.Builtin)
	return ok && b.Name() == builtin && lockset.PathOf(call.Call.Args[0]) == path
}

// A closer is a function that sets an atomic flag and closes a channel.
type closer struct {
	flag, channel lockset.Class
	pos           token.Pos // of the close
}

// closers finds the functions that store to an atomic variable of an object and close a channel of
// it, without a lock.
func closers(r *lockset.Program) []closer {
	var all []closer
	for _, fn := range r.Functions() {
		flags := make(map[ssa.Value][]lockset.Class)
		var closes []*ssa.Call
		r.Of(fn).Walk(func(i ssa.Instruction, held lockset.Set) {
			call, ok := i.(*ssa.Call)
			if !ok || len(held) > 0 {
				return
			}
			if b, ok := call.Call.Value.(*ssa.Builtin); ok && b.Name() == "close" {
				closes = append(closes, call)
				return
			}
			if op, args, ok := syncop.OfCall(&call.Call); ok && (op.Kind == syncop.AtomicStore || op.Kind == syncop.AtomicRMW) {
				p := lockset.PathOf(args[op.Object])
				flags[p.Root] = append(flags[p.Root], lockset.ClassOf(p))
			}
		})
		for _, c := range closes {
			p := lockset.PathOf(c.Call.Args[0])
			for _, f := range flags[p.Root] {
				all = append(all, closer{f, fieldClass(p), c.Pos()})
			}
		}
	}
	return all
}

// fieldClass is the class of the field that holds the channel at p.
func fieldClass(p lockset.Path) lockset.Class {
	p.Sel = strings.TrimSuffix(p.Sel, "*")
	return lockset.ClassOf(p)
}

// sendIfOpen reports a send that depends on an atomic flag which another function sets when it
// closes the channel.
func (c *checker) sendIfOpen(send *ssa.Send) {
	path := lockset.PathOf(send.Chan)
	for _, load := range c.ops {
		if load.kind != syncop.AtomicLoad || load.path.Root != path.Root || !c.decides(load.call, send) {
			continue
		}
		for _, k := range c.closers {
			if k.flag == "" || k.channel == "" || k.flag != lockset.ClassOf(load.path) || k.channel != fieldClass(path) {
				continue
			}
			c.report(send.Pos(), "closed",
				fmt.Sprintf("the send to %s follows a look at %s: the channel may be closed in between, and the send panics", place(path), place(load.path)),
				at(load.call.Pos(), "the look is here"), at(k.pos, "the channel is closed here"))
			return
		}
	}
}
