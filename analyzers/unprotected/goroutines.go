package unprotected

import (
	"go/types"
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
		during := flow.Until(s.instr, c.joins)
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
				if at := b.At(); during[at] && conflict(a, b) && !access.May(b.After, a.Before) && c.same(flow, a.Path, s.instr, at) {
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
			all = append(all, c.prog.In(t, nil)...)
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
			if s == t && s.always && !inLoop(flow, s.instr) || c.same(flow, a.Path, s.instr, t.instr) {
				c.race(place{*a, s.instr}, place{*b, t.instr})
			}
		}
	}
}

func (c *checker) inTest(i ssa.Instruction) bool {
	return strings.HasSuffix(c.pass.Fset.Position(i.Pos()).Filename, "_test.go")
}

func inLoop(flow *access.Flow, i ssa.Instruction) bool { return flow.Reaches(i, i) }

// same tells whether the path means the same location at both instructions when one follows
// the other without a join.
func (c *checker) same(flow *access.Flow, p lockset.Path, from, to ssa.Instruction) bool {
	def, ok := p.Root.(ssa.Instruction)
	if !ok || def.Parent() != from.Parent() {
		return true // a parameter, a captured or package-level variable
	}
	return flow.Until(from, func(i ssa.Instruction) bool { return i == def || c.joins(i) })[to]
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
		return c.started(s, passedOn(call.Common()))
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
	s.accesses = c.prog.In(t, nil)
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
// a goroutine, as groups with a method Go do.
func passedOn(c *ssa.CallCommon) *access.Target {
	fn := c.StaticCallee()
	if fn == nil || len(fn.Blocks) == 0 || len(fn.Params) != len(c.Args) {
		return nil
	}
	for n, p := range fn.Params {
		if _, ok := p.Type().Underlying().(*types.Signature); !ok || !startsParam(p) {
			continue
		}
		if t := access.TargetOf(c.Args[n]); t != nil {
			return t
		}
	}
	return nil
}

// startsParam tells whether the function of p calls p in a goroutine.
func startsParam(p *ssa.Parameter) bool {
	for _, b := range p.Parent().Blocks {
		for _, i := range b.Instrs {
			call, ok := i.(ssa.CallInstruction)
			if !ok {
				continue
			}
			started := call.Common().Value
			if _, isGo := call.(*ssa.Go); !isGo {
				op, args, ok := syncop.OfCall(call.Common())
				if !ok || op.Kind != syncop.Spawn || op.Func >= len(args) {
					continue
				}
				started = args[op.Func]
			}
			if started == ssa.Value(p) {
				return true
			}
			if mc, ok := started.(*ssa.MakeClosure); ok && callsCaptured(mc, p) {
				return true
			}
		}
	}
	return false
}

// callsCaptured tells whether the function literal calls the parameter that it captures.
func callsCaptured(mc *ssa.MakeClosure, p *ssa.Parameter) bool {
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
					return true
				}
			}
		}
	}
	return false
}
