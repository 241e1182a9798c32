package unprotected

import (
	"go/ast"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/coopvet/coop/analyzers/internal/access"
	"github.com/coopvet/coop/escape/lockset"
	"github.com/coopvet/coop/escape/syncop"
)

// A state says whether a lock is held when a function is called.
type state int

const (
	unknown state = iota
	free          // no caller holds it
	held          // all callers hold it
)

// callers knows the static calls of a package's functions.
type callers struct {
	c      *checker
	calls  map[*ssa.Function][]ssa.CallInstruction
	values map[*ssa.Function]bool // used otherwise than in calls
	open   map[*ssa.Function]bool
}

func newCallers(c *checker) *callers {
	k := &callers{c, make(map[*ssa.Function][]ssa.CallInstruction), make(map[*ssa.Function]bool), make(map[*ssa.Function]bool)}
	for _, fn := range c.result.Functions() {
		for _, b := range fn.Blocks {
			for _, i := range b.Instrs {
				k.note(i)
			}
		}
	}
	return k
}

func (k *callers) note(i ssa.Instruction) {
	var callee *ssa.Function
	call, ok := i.(ssa.CallInstruction)
	if ok {
		if t := access.CalledBy(call.Common()); t != nil {
			callee = t.Fn
			k.calls[callee] = append(k.calls[callee], call)
		}
	}
	for _, o := range i.Operands(nil) {
		if fn, ok := (*o).(*ssa.Function); ok && fn != callee {
			k.values[fn] = true
		}
	}
	if mc, ok := i.(*ssa.MakeClosure); ok {
		if m := syncop.Bound(mc.Fn.(*ssa.Function)); m != nil {
			if fn := mc.Parent().Prog.FuncValue(m); fn != nil {
				k.values[fn] = true
			}
		}
	}
}

// entry tells whether the lock is held when fn is called.
func (k *callers) entry(fn *ssa.Function, lock lockset.Path) state {
	if k.open[fn] || k.values[fn] {
		return unknown
	}
	if fn.Parent() != nil {
		return k.literal(fn)
	}
	calls := k.calls[fn]
	if len(calls) == 0 || public(fn) {
		if ast.IsExported(fn.Name()) {
			return free
		}
		return unknown
	}
	k.open[fn] = true
	defer delete(k.open, fn)
	result := unknown
	for n, call := range calls {
		s := k.at(fn, lock, call)
		if n > 0 && s != result || s == unknown {
			return unknown
		}
		result = s
	}
	return result
}

// mayHold tells whether a caller of fn may hold a lock of the class.
func (k *callers) mayHold(fn *ssa.Function, class lockset.Class) bool {
	if k.open[fn] {
		return false
	}
	k.open[fn] = true
	defer delete(k.open, fn)
	return slices.ContainsFunc(k.calls[fn], func(call ssa.CallInstruction) bool {
		_, isGo := call.(*ssa.Go)
		return !isGo && (k.c.prog.MaybeAt(call)[class] || k.mayHold(call.Parent(), class))
	})
}

// public tells whether other packages may call fn by its name.
func public(fn *ssa.Function) bool {
	if !ast.IsExported(fn.Name()) {
		return false
	}
	recv := fn.Signature.Recv()
	if recv == nil {
		return true
	}
	name := recv.Type().String()
	return ast.IsExported(name[strings.LastIndexAny(name, "./*")+1:])
}

// literal is the state of a function literal: one that is started as a goroutine holds no lock.
func (k *callers) literal(fn *ssa.Function) state {
	for _, b := range fn.Parent().Blocks {
		for _, i := range b.Instrs {
			mc, ok := i.(*ssa.MakeClosure)
			if !ok || mc.Fn != ssa.Value(fn) {
				continue
			}
			for _, ref := range *mc.Referrers() {
				call, ok := ref.(ssa.CallInstruction)
				if !ok {
					continue
				}
				if _, ok := call.(*ssa.Go); ok {
					return free
				}
				if op, _, ok := syncop.OfCall(call.Common()); ok && op.Kind == syncop.Spawn {
					return free
				}
			}
		}
	}
	return unknown
}

// at tells whether fn's lock is held at a call of fn.
func (k *callers) at(fn *ssa.Function, lock lockset.Path, call ssa.CallInstruction) state {
	t := access.CalledBy(call.Common())
	path, ok := t.Translate(lock)
	if !ok || lastReference(call, path.Root) {
		return unknown
	}
	if _, isGo := call.(*ssa.Go); isGo {
		return free
	}
	f := k.c.result.Of(call.Parent())
	now := f.Before(call)
	if d, ok := call.(*ssa.Defer); ok {
		now = f.AtDeferred(d)
	}
	if now.Has(path) {
		return held
	}
	if access.CallerHolds(call.Parent()) || k.c.prog.MaybeAt(call)[lockset.ClassOf(path)] {
		return unknown
	}
	return k.entry(call.Parent(), path)
}
