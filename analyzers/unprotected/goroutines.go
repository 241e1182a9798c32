package unprotected

import (
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/coopvet/coop/analyzers/internal/access"
	"github.com/coopvet/coop/escape/lockset"
	"github.com/coopvet/coop/escape/syncop"
)

// A spawn is an instruction that starts goroutines.
type spawn struct {
	instr    ssa.Instruction
	accesses []access.Access // of the goroutine, in the frame of the function that starts it
	always   bool            // it starts any number of them, as for an HTTP handler
	handler  bool            // of a server
	apart    bool            // the function that starts it does not run at the same time
}

// goroutines looks for races among the goroutines that fn starts, and between them and fn.
func (c *checker) goroutines(fn *ssa.Function) {
	spawns := c.spawns(fn)
	if len(spawns) == 0 {
		return
	}
	flow := access.NewFlow(fn)
	own := byRoot(c.prog.Of(fn).Accesses)
	atEnd := c.atEnd(fn)
	for n, s := range spawns {
		during := flow.UntilJoin(s.instr, c.joins)
		if s.always || during[s.instr] {
			c.pairs(flow, s, s)
		}
		for m, t := range spawns {
			if m != n && during[t.instr] {
				c.pairs(flow, s, t)
			}
		}
		if s.apart {
			continue
		}
		for i := range s.accesses {
			a := &s.accesses[i]
			for _, b := range own[a.Path.Root] {
				if at := b.At(); during[at] && conflict(a, b) && !c.callersHold(fn, a) && !access.May(b.After, a.Before) && c.same(flow, a, b, s.instr, at) {
					c.race(place{*a, s.instr}, place{*b, nil})
				}
			}
			for j := range atEnd {
				if b := &atEnd[j]; returns(during) && conflict(a, b) && !ordered(a, b) {
					c.race(place{*a, s.instr}, place{*b, nil})
				}
			}
		}
	}
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

// joins tells whether the function may know after i what goroutines have done. The start of
// a parallel subtest is no join.
func (c *checker) joins(i ssa.Instruction) bool {
	if call, ok := i.(ssa.CallInstruction); ok {
		if op, _, ok := syncop.OfCall(call.Common()); ok && op.Kind == syncop.Subtest && c.spawn(call) != nil {
			return false
		}
	}
	return c.prog.Joins(i)
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
			all = append(all, slices.DeleteFunc(c.prog.In(t, nil), func(a access.Access) bool { return access.Variable(a.Path) })...)
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

// pairs reports conflicts between goroutines of s and t, which may be the same spawn.
func (c *checker) pairs(flow *access.Flow, s, t *spawn) {
	others := byRoot(t.accesses)
	for i := range s.accesses {
		a := &s.accesses[i]
		for _, b := range others[a.Path.Root] {
			if !conflict(a, b) || ordered(a, b) || s.handler && c.inTest(a.Instr) && c.inTest(b.Instr) {
				// The client of a test mostly sends one request at a time.
				continue
			}
			if s == t && s.always && !inLoop(flow, s.instr) || c.same(flow, a, b, s.instr, t.instr) {
				c.race(place{*a, s.instr}, place{*b, t.instr})
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
	if def, ok := a.Path.Root.(ssa.Instruction); ok && def.Parent() == from.Parent() {
		fixed = append(fixed, def)
	}
	if counter := c.prog.CounterOf(from.Parent(), a.Path); counter != nil && a.Path.Sel == b.Path.Sel {
		fixed = append(fixed, counter.Value.(ssa.Instruction))
	}
	if len(fixed) == 0 {
		return true // a parameter, a captured or package-level variable
	}
	return flow.UntilJoin(from, func(i ssa.Instruction) bool { return slices.Contains(fixed, i) || c.joins(i) })[to]
}

// spawns finds the goroutines that fn starts.
func (c *checker) spawns(fn *ssa.Function) []*spawn {
	var all []*spawn
	for _, b := range fn.Blocks {
		for _, i := range b.Instrs {
			call, ok := i.(ssa.CallInstruction)
			if !ok {
				continue
			}
			if s := c.spawn(call); s != nil && len(s.accesses) > 0 {
				all = append(all, s)
			}
		}
	}
	return all
}

// spawn returns what call starts, or nil.
func (c *checker) spawn(call ssa.CallInstruction) *spawn {
	s := &spawn{instr: call}
	if _, ok := call.(*ssa.Go); ok {
		return c.started(s, access.CalledBy(call.Common()))
	}
	op, args, ok := syncop.OfCall(call.Common())
	if !ok {
		t, at := c.passedOn(call.Common())
		if c.started(s, t) == nil {
			return nil
		}
		if at.Parent() != call.Common().StaticCallee() {
			before, after := c.prog.Around(at)
			for n := range s.accesses {
				s.accesses[n].Before |= before
				s.accesses[n].After |= after
			}
		}
		return s
	}
	if op.Func < 0 || op.Func >= len(args) {
		return nil
	}
	target := access.TargetOf(args[op.Func])
	switch op.Kind {
	case syncop.Spawn:
	case syncop.Handler:
		s.always, s.handler = true, true
		if target == nil {
			target = handler(args[op.Func])
		}
	case syncop.Worker:
		s.always, s.apart = true, true
	case syncop.Subtest:
		if target == nil || !isParallel(target.Fn) {
			return nil
		}
		s.apart = true
	default:
		return nil
	}
	return c.started(s, target)
}

func (c *checker) started(s *spawn, t *access.Target) *spawn {
	if t == nil {
		return nil
	}
	for _, a := range c.prog.In(t, nil) {
		if !access.Variable(a.Path) || c.prog.InEachRound(a.Path, s.instr) {
			s.accesses = append(s.accesses, a)
		}
	}
	return s
}

// isParallel tells whether the test function calls t.Parallel.
func isParallel(fn *ssa.Function) bool {
	for _, b := range fn.Blocks {
		for _, i := range b.Instrs {
			if c, ok := i.(*ssa.Call); ok {
				if op, _, ok := syncop.OfCall(&c.Call); ok && op.Kind == syncop.Parallel {
					return true
				}
			}
		}
	}
	return false
}

// handler is the method ServeHTTP of the value v.
func handler(v ssa.Value) *access.Target {
	mi, ok := v.(*ssa.MakeInterface)
	if !ok {
		return nil
	}
	if call, ok := mi.X.(*ssa.ChangeType); ok {
		return access.TargetOf(call.X) // http.HandlerFunc(f)
	}
	obj, _, _ := types.LookupFieldOrMethod(mi.X.Type(), true, mi.Parent().Pkg.Pkg, "ServeHTTP")
	method, ok := obj.(*types.Func)
	if !ok {
		return nil
	}
	fn := mi.Parent().Prog.FuncValue(method)
	if fn == nil {
		return nil
	}
	return &access.Target{Fn: fn, Args: []ssa.Value{mi.X}}
}

// passedOn returns the function that is passed to a function of the package that starts it as
// a goroutine, as groups with a method Go do; at is where the goroutine calls it. A function that
// waits before it returns is no such function.
func (c *checker) passedOn(call *ssa.CallCommon) (t *access.Target, at ssa.Instruction) {
	fn := call.StaticCallee()
	if fn == nil || len(fn.Blocks) == 0 || len(fn.Params) != len(call.Args) {
		return nil, nil
	}
	for n, p := range fn.Params {
		if _, ok := p.Type().Underlying().(*types.Signature); !ok {
			continue
		}
		started, at := startOf(p)
		if started == nil || !returns(access.NewFlow(fn).UntilJoin(started, c.joins)) {
			continue
		}
		if t := access.TargetOf(call.Args[n]); t != nil {
			return t, at
		}
	}
	return nil, nil
}

// startOf returns where the function of p starts a goroutine that calls p, and where that calls
// it; nil if it does not.
func startOf(p *ssa.Parameter) (started, called ssa.Instruction) {
	for _, b := range p.Parent().Blocks {
		for _, i := range b.Instrs {
			call, ok := i.(ssa.CallInstruction)
			if !ok {
				continue
			}
			f := call.Common().Value
			if _, isGo := call.(*ssa.Go); !isGo {
				op, args, ok := syncop.OfCall(call.Common())
				if !ok || op.Kind != syncop.Spawn || op.Func >= len(args) {
					continue
				}
				f = args[op.Func]
			}
			if f == ssa.Value(p) {
				return call, call
			}
			if mc, ok := f.(*ssa.MakeClosure); ok {
				if called := callsCaptured(mc, p); called != nil {
					return call, called
				}
			}
		}
	}
	return nil, nil
}

// callsCaptured returns where the function literal calls the parameter that it captures; nil if it
// does not.
func callsCaptured(mc *ssa.MakeClosure, p *ssa.Parameter) ssa.Instruction {
	fn := mc.Fn.(*ssa.Function)
	for n, b := range mc.Bindings {
		if lockset.PathOf(b).Join("*").Root != ssa.Value(p) {
			continue
		}
		for _, ref := range *fn.FreeVars[n].Referrers() {
			load, ok := ref.(*ssa.UnOp)
			if !ok {
				continue
			}
			for _, use := range *load.Referrers() {
				if c, ok := use.(ssa.CallInstruction); ok && c.Common().Value == ssa.Value(load) {
					return c
				}
			}
		}
	}
	return nil
}
