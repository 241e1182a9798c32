package unprotected

import (
	"fmt"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/coopvet/coop/analyzers/internal/access"
	"github.com/coopvet/coop/escape/lockset"
	"github.com/coopvet/coop/escape/syncop"
)

// handouts reports memory that fn gives to others and goes on to use, or lets its caller use.
func (c *checker) handouts(fn *ssa.Function) {
	flow := access.NewFlow(fn)
	for _, b := range fn.Blocks {
		for _, i := range b.Instrs {
			switch i := i.(type) {
			case *ssa.Send:
				c.published(flow, i, i.X)
			case ssa.CallInstruction:
				if v := publishedBy(i); v != nil {
					c.published(flow, i, v)
				}
				c.putBack(flow, i)
			case *ssa.Return:
				c.guardedMap(fn, i)
			}
		}
	}
}

// publishedBy returns the value that an atomic store makes visible to others.
func publishedBy(call ssa.CallInstruction) ssa.Value {
	op, args, ok := syncop.OfCall(call.Common())
	if !ok || op.Kind != syncop.AtomicStore && op.Kind != syncop.AtomicRMW || len(args) < 2 {
		return nil
	}
	v := args[len(args)-1]
	if m, ok := v.(*ssa.MakeInterface); ok {
		v = m.X
	}
	return v
}

// published reports a write to an object that the function has made and, before, made visible
// to other goroutines.
func (c *checker) published(flow *access.Flow, at ssa.Instruction, v ssa.Value) {
	root, ok := lockset.PathOf(v).Root.(*ssa.Alloc)
	if _, pointer := v.Type().Underlying().(*types.Pointer); !ok || !pointer || lockset.PathOf(v).Sel != "" || c.inTest(at) {
		return
	}
	f := c.result.Of(at.Parent())
	// Until the object is made anew, or the function waits for somebody.
	during := flow.UntilJoin(at, func(i ssa.Instruction) bool { return i == ssa.Instruction(root) || c.prog.Joins(i) })
	if _, sent := at.(*ssa.Send); sent {
		c.readAfter(at, root, during)
	}
	for i := range during {
		s, ok := i.(*ssa.Store)
		if !ok || lockset.PathOf(s.Addr).Root != ssa.Value(root) || lockset.PathOf(s.Addr).Sel == "" || len(f.Before(i)) > 0 {
			continue
		}
		c.pass.Report(analysis.Diagnostic{
			Pos: s.Pos(), Category: "published",
			Message: fmt.Sprintf("%s is written after other goroutines can see it", fieldName(lockset.PathOf(s.Addr))),
			Related: []analysis.RelatedInformation{{Pos: at.Pos(), Message: "it is made visible here"}},
		})
		return
	}
}

// readAfter reports a read of an object after it has been sent, if who receives such objects
// writes what is read.
func (c *checker) readAfter(at ssa.Instruction, root *ssa.Alloc, during map[ssa.Instruction]bool) {
	f := c.result.Of(at.Parent())
	for i := range during {
		load, ok := i.(*ssa.UnOp)
		if !ok || load.Op != token.MUL {
			continue
		}
		p := lockset.PathOf(load.X)
		written := c.receivers()[lockset.ClassOf(p)]
		if p.Root != ssa.Value(root) || p.Sel == "" || written == nil || len(f.Before(i)) > 0 || !load.Pos().IsValid() {
			continue
		}
		c.pass.Report(analysis.Diagnostic{
			Pos: load.Pos(), Category: "published",
			Message: fmt.Sprintf("%s is read after it has been sent to a goroutine that writes it", fieldName(p)),
			Related: []analysis.RelatedInformation{{Pos: at.Pos(), Message: "it is sent here"}, {Pos: written.Pos(), Message: "the receiver writes it here"}},
		})
		return
	}
}

// receivers returns the fields of objects that functions write, without a lock, after they have
// received the object from a channel.
func (c *checker) receivers() map[lockset.Class]ssa.Instruction {
	if c.received != nil {
		return c.received
	}
	c.received = make(map[lockset.Class]ssa.Instruction)
	for _, fn := range c.result.Functions() {
		c.result.Of(fn).Walk(func(i ssa.Instruction, held lockset.Set) {
			s, ok := i.(*ssa.Store)
			if !ok || len(held) > 0 {
				return
			}
			p := lockset.PathOf(s.Addr)
			if class := lockset.ClassOf(p); class != "" && p.Sel != "" && isReceived(p.Root) {
				c.received[class] = i
			}
		})
	}
	return c.received
}

// isReceived tells whether v comes from a channel.
func isReceived(v ssa.Value) bool {
	if e, ok := v.(*ssa.Extract); ok {
		v = e.Tuple
		if _, sel := v.(*ssa.Select); sel {
			return e.Index > 1
		}
	}
	u, ok := v.(*ssa.UnOp)
	return ok && u.Op == token.ARROW
}

// fieldName names a field by its type.
func fieldName(p lockset.Path) string {
	name, _ := location(access.Access{Path: p, Class: lockset.ClassOf(p)})
	return name
}

// putBack reports the return of memory of an object that is, or will be, back in its sync.Pool.
func (c *checker) putBack(flow *access.Flow, call ssa.CallInstruction) {
	op, args, ok := syncop.OfCall(call.Common())
	if !ok || op.Kind != syncop.Pool || len(args) < 2 {
		return
	}
	v := args[1]
	if m, ok := v.(*ssa.MakeInterface); ok {
		v = m.X
	}
	object := lockset.PathOf(v).Root
	for _, b := range call.Parent().Blocks {
		ret, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Return)
		if !ok || !flow.Reaches(call, ret) {
			continue
		}
		for n := range ret.Results {
			if shares(access.Result(ret, n), object) {
				c.pass.Report(analysis.Diagnostic{
					Pos: ret.Pos(), Category: "pool",
					Message: "memory is returned that belongs to an object that is back in its pool, where others get it",
					Related: []analysis.RelatedInformation{{Pos: call.Pos(), Message: "it is put back here"}},
				})
				return
			}
		}
	}
}

// shares tells whether v is memory of the object: the object itself, an address in it, or a
// slice of it.
func shares(v, object ssa.Value) bool {
	for range 10 {
		if v == object {
			return true
		}
		switch x := v.(type) {
		case *ssa.Slice:
			v = x.X
		case *ssa.FieldAddr:
			v = x.X
		case *ssa.IndexAddr:
			v = x.X
		case *ssa.ChangeType:
			v = x.X
		case *ssa.TypeAssert:
			v = x.X
		default:
			return false
		}
	}
	return false
}

// guardedMap reports the return of a map itself, read with a lock held that others hold when
// they change it.
func (c *checker) guardedMap(fn *ssa.Function, ret *ssa.Return) {
	obj, ok := fn.Object().(*types.Func)
	if !ok || !obj.Exported() || fn.Signature.Recv() == nil || access.CallerHolds(fn) {
		return
	}
	f := c.result.Of(fn)
	for n := range ret.Results {
		load, ok := access.Result(ret, n).(*ssa.UnOp)
		if !ok {
			continue
		}
		if _, isMap := load.Type().Underlying().(*types.Map); !isMap {
			continue
		}
		path := lockset.PathOf(load.X)
		for _, h := range f.Before(load) {
			if h.Lock.Root == path.Root && sibling(h.Lock, path) && c.changes(lockset.ClassOf(path), lockset.ClassOf(h.Lock)) {
				c.pass.Report(analysis.Diagnostic{
					Pos: ret.Pos(), Category: "handout",
					Message: fmt.Sprintf("the map %s is returned itself, for use without %s, which is held where it is changed", path, h.Lock),
				})
				return
			}
		}
	}
}

// changes tells whether the package changes the contents of the map in the field with the lock
// held, outside of constructors.
func (c *checker) changes(field, lock lockset.Class) bool {
	if field == "" || lock == "" {
		return false
	}
	for _, fn := range c.result.Functions() {
		for _, a := range c.prog.Of(fn).Accesses {
			if !a.Write || a.Class != field || a.Part != "*" || len(a.Calls) > 0 {
				continue
			}
			for _, h := range a.Held {
				if lockset.ClassOf(h.Lock) == lock {
					return true
				}
			}
		}
	}
	return false
}
