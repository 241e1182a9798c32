package lockorder

import (
	"go/ast"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/coopvet/coop/escape/lockset"
)

// findCalls notes where the functions of the package are called.
func (c *checker) findCalls() {
	c.calls, c.values = make(map[*ssa.Function][]ssa.CallInstruction), make(map[*ssa.Function]bool)
	c.invoked = make(map[string]bool)
	for _, fn := range c.prog.Functions() {
		for _, b := range fn.Blocks {
			for _, i := range b.Instrs {
				c.noteCall(i)
			}
		}
	}
}

func (c *checker) noteCall(i ssa.Instruction) {
	var callee *ssa.Function
	if call, ok := i.(ssa.CallInstruction); ok {
		if call.Common().IsInvoke() {
			c.invoked[call.Common().Method.Name()] = true
		}
		if callee = call.Common().StaticCallee(); callee != nil {
			c.calls[callee] = append(c.calls[callee], call)
		}
	}
	for _, o := range i.Operands(nil) {
		if fn, ok := (*o).(*ssa.Function); ok && fn != callee {
			c.values[declared(fn)] = true
		}
	}
}

// declared is the method that fn calls, if fn stands for a method value or expression; else fn.
func declared(fn *ssa.Function) *ssa.Function {
	if m, ok := fn.Object().(*types.Func); ok && fn.Synthetic != "" {
		if method := fn.Prog.FuncValue(m); method != nil {
			return method
		}
	}
	return fn
}

// callerGates returns the locks that are held whenever fn is called, none for reading. A recursive
// function has none.
func (c *checker) callerGates(fn *ssa.Function) []lockset.Class {
	gates, known := c.gates[fn]
	if !known {
		c.gates[fn] = nil
		gates = c.commonGates(fn)
		c.gates[fn] = gates
	}
	return gates
}

func (c *checker) commonGates(fn *ssa.Function) []lockset.Class {
	if fn.Parent() != nil || ast.IsExported(fn.Name()) || c.values[fn] || c.invoked[fn.Name()] {
		return nil
	}
	var common []lockset.Class
	for n, call := range c.calls[fn] {
		if _, ok := call.(*ssa.Call); !ok {
			return nil
		}
		held := c.heldAt(call)
		if n == 0 {
			common = held
			continue
		}
		common = slices.DeleteFunc(common, func(g lockset.Class) bool { return !slices.Contains(held, g) })
	}
	return common
}

// heldAt returns the locks that are held at a call: the function has taken them, or releases them later without
// having taken them, or its own callers hold them.
func (c *checker) heldAt(call ssa.CallInstruction) []lockset.Class {
	f := c.prog.Program.Of(call.Parent())
	var all []lockset.Class
	for _, h := range f.Before(call) {
		if !h.Reading {
			all = append(all, lockset.ClassOf(h.Lock))
		}
	}
	for _, r := range f.Summary.Releases {
		if r.From != lockset.Param || r.Index >= len(f.Fn.Params) {
			continue
		}
		if class := lockset.ClassOf(lockset.Path{Root: f.Fn.Params[r.Index]}.Join(r.Sel)); !c.forReading()[class] {
			all = append(all, class)
		}
	}
	return slices.DeleteFunc(append(all, c.callerGates(f.Fn)...), func(g lockset.Class) bool { return g == "" })
}

// forReading returns the classes of locks that are also taken for reading.
func (c *checker) forReading() map[lockset.Class]bool {
	if c.reading == nil {
		c.reading = make(map[lockset.Class]bool)
		for _, fn := range c.prog.Functions() {
			for _, a := range c.prog.Program.Of(fn).Acquires {
				if a.Lock.Reading {
					c.reading[lockset.ClassOf(a.Lock.Lock)] = true
				}
			}
		}
	}
	return c.reading
}
