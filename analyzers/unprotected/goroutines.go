package unprotected

import (
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/coopvet/coop/analyzers/internal/access"
	"github.com/coopvet/coop/escape/lockset"
	"github.com/coopvet/coop/escape/syncop"
)

// goroutines looks for races among the goroutines that fn starts, and between them and fn.
func (c *checker) goroutines(fn *ssa.Function) {
	spawns := c.prog.Spawns(fn)
	if len(spawns) == 0 {
		return
	}
	flow := access.NewFlow(fn)
	own := byRoot(c.prog.Of(fn).Accesses)
	atEnd := c.atEnd(fn)
	for n, s := range spawns {
		during := flow.UntilJoin(s.Instr, c.prog.Joins)
		if s.Always || during[s.Instr] {
			c.pairs(flow, during, s, s)
		}
		for m, t := range spawns {
			if m != n && during[t.Instr] {
				c.pairs(flow, during, s, t)
			}
		}
		if s.Apart {
			continue
		}
		idle := c.idle(flow, s)
		for i := range s.Accesses {
			a := &s.Accesses[i]
			for _, b := range own[a.Path.Root] {
				at := b.At()
				if !during[at] || idle[at] || !conflict(a, b) || access.May(b.After, a.Before) || !c.same(flow, a, b, s.Instr, at) {
					continue
				}
				if !c.callersHold(fn, a) && !c.released(fn, a, b) && !c.prog.Replaces(fn, a.Path, during) {
					c.race(place{*a, s.Instr}, place{*b, nil})
				}
			}
			for j := range atEnd {
				if b := &atEnd[j]; returns(during) && conflict(a, b) && !ordered(a, b) {
					c.race(place{*a, s.Instr}, place{*b, nil})
				}
			}
		}
	}
}

// idle returns what is executed while the handlers of a server have nothing to do yet: until
// the function calls or starts what may start the server, or send it a request.
func (c *checker) idle(flow *access.Flow, s *access.Spawn) map[ssa.Instruction]bool {
	if !s.Handler {
		return nil
	}
	return flow.Until(s.Instr, func(i ssa.Instruction) bool {
		_, starts := i.(*ssa.Go)
		return starts || c.prog.Unknown(i)
	})
}

// released tells whether the goroutine's access a may wait for what happens only after fn's access
// b, since nobody else has the object yet: a function has just made it, or fn has and returns it.
func (c *checker) released(fn *ssa.Function, a, b *access.Access) bool {
	if !a.Before.Waits() {
		return false
	}
	switch root := b.Path.Root.(type) {
	case *ssa.Parameter:
		return c.freshParam(c.callers, fn, root, 0)
	case *ssa.Call:
		return true
	case *ssa.Extract:
		_, made := root.Tuple.(*ssa.Call)
		return made
	}
	return access.ResultOf(fn, b.Path.Root) >= 0
}

// callersHold tells whether callers of fn hold a lock that the goroutine's access is made with, or
// whether either may be so.
func (c *checker) callersHold(fn *ssa.Function, a *access.Access) bool {
	if slices.ContainsFunc(a.Held, func(h lockset.Held) bool {
		_, param := h.Lock.Root.(*ssa.Parameter)
		return param && len(c.callers.calls[fn]) > 0 && c.callers.entry(fn, h.Lock) != free
	}) {
		return true
	}
	for class := range a.Maybe {
		if c.callers.mayHold(fn, class) {
			return true
		}
	}
	return false
}

// atEnd returns what the functions do that fn registers to be called after its end; nothing
// if one of them may wait for goroutines, since others run after it.
func (c *checker) atEnd(fn *ssa.Function) []access.Access {
	var all []access.Access
	for _, b := range fn.Blocks {
		for _, i := range b.Instrs {
			call, ok := i.(*ssa.Call)
			if !ok {
				continue
			}
			op, args, ok := syncop.OfCall(&call.Call)
			if !ok || op.Kind != syncop.Later || op.Func >= len(args) {
				continue
			}
			t := access.TargetOf(args[op.Func])
			if t == nil || len(t.Fn.Blocks) == 0 || c.prog.Of(t.Fn).Before != 0 {
				return nil
			}
			all = append(all, slices.DeleteFunc(c.prog.In(t, i, nil), func(a access.Access) bool { return access.Variable(a.Path) })...)
		}
	}
	return all
}

func returns(during map[ssa.Instruction]bool) bool {
	for i := range during {
		if _, ok := i.(*ssa.Return); ok {
			return true
		}
	}
	return false
}

// byRoot sorts accesses by the root of their paths: those with different ones do not overlap.
func byRoot(all []access.Access) map[ssa.Value][]*access.Access {
	roots := make(map[ssa.Value][]*access.Access)
	for i := range all {
		a := &all[i]
		roots[a.Path.Root] = append(roots[a.Path.Root], a)
	}
	return roots
}

// pairs reports conflicts between goroutines of s and t, which may be the same spawn; during is what
// may be executed while those of s run.
func (c *checker) pairs(flow *access.Flow, during map[ssa.Instruction]bool, s, t *access.Spawn) {
	others := byRoot(t.Accesses)
	for i := range s.Accesses {
		a := &s.Accesses[i]
		for _, b := range others[a.Path.Root] {
			if !conflict(a, b) || ordered(a, b) || c.prog.Replaces(s.Instr.Parent(), a.Path, during) || s.Handler && c.inTest(a.Instr) && c.inTest(b.Instr) {
				// The client of a test mostly sends one request at a time.
				continue
			}
			if s == t && s.Always && !inLoop(flow, s.Instr) || c.same(flow, a, b, s.Instr, t.Instr) {
				c.race(place{*a, s.Instr}, place{*b, t.Instr})
			}
		}
	}
}

func (c *checker) inTest(i ssa.Instruction) bool {
	return strings.HasSuffix(c.pass.Fset.Position(i.Pos()).Filename, "_test.go")
}

func inLoop(flow *access.Flow, i ssa.Instruction) bool { return flow.Reaches(i, i) }

// same tells whether the paths mean the same location at the two instructions when the second
// follows the first without a join.
func (c *checker) same(flow *access.Flow, a, b *access.Access, from, to ssa.Instruction) bool {
	var fixed []ssa.Instruction // what must not change on the way
	root := a.Path.Root
	if e, ok := root.(*ssa.Extract); ok {
		root = e.Tuple // which may be what starts the goroutine
	}
	if def, ok := root.(ssa.Instruction); ok && def.Parent() == from.Parent() {
		fixed = append(fixed, def)
	}
	if counter := c.prog.CounterOf(from.Parent(), a.Path); counter != nil && a.Path.Sel == b.Path.Sel {
		fixed = append(fixed, counter.Value.(ssa.Instruction))
	}
	if len(fixed) == 0 {
		return true // a parameter, a captured or package-level variable
	}
	return flow.UntilJoin(from, func(i ssa.Instruction) bool { return slices.Contains(fixed, i) || c.prog.Joins(i) })[to]
}
