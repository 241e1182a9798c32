package access

import (
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/coopvet/coop/escape/lockset"
	"github.com/coopvet/coop/escape/syncop"
)

// A Spawn is an instruction that starts goroutines: a go statement, an operation of the
// standard library, or a call of a function that does so and does not wait for them.
type Spawn struct {
	Instr    ssa.Instruction
	Accesses []Access // of the goroutines, in the frame of the function that starts them
	Always   bool     // it starts any number of them, as for an HTTP handler
	Handler  bool     // of a server
	Apart    bool     // the function that starts them does not run at the same time
}

// Spawns returns the instructions of fn that start goroutines of which an access is known.
func (p *Program) Spawns(fn *ssa.Function) []*Spawn {
	var all []*Spawn
	for _, b := range fn.Blocks {
		for _, i := range b.Instrs {
			call, ok := i.(ssa.CallInstruction)
			if !ok {
				continue
			}
			if s := p.spawn(call); s != nil && len(s.Accesses) > 0 {
				all = append(all, s)
			}
		}
	}
	return all
}

// spawn returns what call starts, or nil.
func (p *Program) spawn(call ssa.CallInstruction) *Spawn {
	s := &Spawn{Instr: call}
	if _, ok := call.(*ssa.Go); ok {
		return p.run(s, CalledBy(call.Common()))
	}
	op, args, ok := syncop.OfCall(call.Common())
	if !ok {
		return p.called(s, call.Common())
	}
	if op.Func < 0 || op.Func >= len(args) {
		return nil
	}
	target := TargetOf(args[op.Func])
	switch op.Kind {
	case syncop.Spawn:
	case syncop.Handler:
		s.Always, s.Handler = true, true
		if target == nil {
			target = handler(args[op.Func])
		}
	case syncop.Worker:
		s.Always, s.Apart = true, true
	case syncop.Subtest:
		if target == nil || !isParallel(target.Fn) {
			return nil
		}
		s.Apart = true
	default:
		return nil
	}
	return p.run(s, target)
}

// run adds what a goroutine that calls t accesses, and those that it starts.
func (p *Program) run(s *Spawn, t *Target) *Spawn {
	if t == nil {
		return nil
	}
	p.add(s, p.In(t, s.Instr, nil))
	p.add(s, p.StartedBy(t, s.Instr))
	return s
}

func (p *Program) add(s *Spawn, accesses []Access) {
	for _, a := range accesses {
		if !Variable(a.Path) || p.InEachRound(a.Path, s.Instr) {
			s.Accesses = append(s.Accesses, a)
		}
	}
}

// called adds the goroutines that a function leaves behind: its own, and those of a function
// that is passed to it.
func (p *Program) called(s *Spawn, call *ssa.CallCommon) *Spawn {
	t := CalledBy(call)
	if t == nil {
		return nil
	}
	p.add(s, p.StartedBy(t, s.Instr))
	for _, passed := range p.runsOf(t.Fn) {
		f := passedAs(t, passed.Param)
		if f == nil {
			continue
		}
		first := len(s.Accesses)
		p.run(s, f)
		for n := range s.Accesses[first:] {
			a := &s.Accesses[first+n]
			a.Before |= passed.Before
			a.After |= passed.After
		}
	}
	return s
}

func passedAs(t *Target, param int) *Target {
	if param >= len(t.Args) || t.Args[param] == nil {
		return nil
	}
	return TargetOf(t.Args[param])
}

// Joins tells whether a goroutine may know after i what others have done before; locks do not
// count, since who comes first is open, nor does the start of a parallel subtest.
func (p *Program) Joins(i ssa.Instruction) bool {
	if call, ok := i.(ssa.CallInstruction); ok {
		if op, args, ok := syncop.OfCall(call.Common()); ok && op.Kind == syncop.Subtest {
			if t := TargetOf(args[op.Func]); t != nil && isParallel(t.Fn) {
				return false
			}
		}
	}
	acquire, _ := p.syncOf(i)
	return acquire&^syncLock != 0
}

// LeavesBehind tells whether goroutines that i starts may still run when its function returns.
func (p *Program) LeavesBehind(flow *Flow, i ssa.Instruction) bool {
	for _, b := range i.Parent().Blocks {
		for _, j := range b.Instrs {
			if _, ok := j.(*ssa.Defer); ok && p.Joins(j) {
				return false
			}
		}
	}
	for j := range flow.UntilJoin(i, p.Joins) {
		if _, ok := j.(*ssa.Return); ok {
			return true
		}
	}
	return false
}

// startsOf returns what goroutines access that fn leaves behind, except for what they do when
// they have waited for somebody: mostly that is who has called fn, later. It is no part of the
// Summary, since a goroutine may call the function that starts it.
func (p *Program) startsOf(fn *ssa.Function) []Access {
	if all, ok := p.starts[fn]; ok {
		return all
	}
	p.starts[fn] = nil
	var all []Access
	flow := NewFlow(fn)
	for _, s := range p.Spawns(fn) {
		if s.Handler || s.Apart || !p.LeavesBehind(flow, s.Instr) {
			continue
		}
		before, _ := p.Around(s.Instr)
		after := flow.Until(s.Instr, func(ssa.Instruction) bool { return false })
		for _, a := range s.Accesses {
			_, ok := outside(fn, a.Path)
			if ok && len(all) < maxAccesses && !a.Before.Waits() && !p.Replaces(fn, a.Path, after) {
				a.Before |= before
				all = append(all, a)
			}
		}
	}
	p.starts[fn] = all
	return all
}

// Replaces tells whether one of the instructions of fn changes a pointer that the path goes
// through, so that it leads somewhere else.
func (p *Program) Replaces(fn *ssa.Function, path lockset.Path, instrs map[ssa.Instruction]bool) bool {
	return slices.ContainsFunc(p.Of(fn).Accesses, func(w Access) bool {
		rest, ok := strings.CutPrefix(path.Sel, w.Path.Sel)
		return ok && w.Write && w.Path.Root == path.Root && strings.HasPrefix(rest, "*") && instrs[w.At()]
	})
}

// outside returns the path as the callers of fn know it: from a parameter or a package-level
// variable, or from a result, which fn has made; ok is false if they do not know it.
func outside(fn *ssa.Function, path lockset.Path) (ref lockset.Ref, ok bool) {
	if ref, ok := lockset.Refer(fn, path); ok || Variable(path) {
		return ref, ok
	}
	if n := ResultOf(fn, path.Root); n >= 0 {
		return lockset.Ref{From: lockset.Result, Index: n, Sel: path.Sel}, true
	}
	return lockset.Ref{}, false
}

// ResultOf returns which result of fn the object is that v points to; -1: none.
func ResultOf(fn *ssa.Function, v ssa.Value) int {
	for _, b := range fn.Blocks {
		ret, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Return)
		if !ok {
			continue
		}
		for n := range ret.Results {
			if p := lockset.PathOf(Result(ret, n)); p.Sel == "" && p.Root == v {
				return n
			}
		}
	}
	return -1
}

// StartedBy returns what goroutines access that a call of t leaves behind, in the frame of the
// function that calls.
func (p *Program) StartedBy(t *Target, at ssa.Instruction) []Access {
	if f := p.fact(t.Fn); f != nil {
		return p.imported(f.Starts, t, at, nil)
	}
	var given []Access // to the caller, as results
	call, _ := at.(*ssa.Call)
	for _, a := range p.startsOf(t.Fn) {
		ref, _ := outside(t.Fn, a.Path)
		if ref.From != lockset.Result || call == nil {
			continue
		}
		if path, ok := ref.In(nil, nil, call); ok {
			a.Path, a.Held = path, nil
			given = append(given, a)
		}
	}
	return append(given, translated(p.startsOf(t.Fn), t, nil)...)
}

// A Run is a function that is passed as a parameter and called by a goroutine that may still
// run when the function that it is passed to has returned.
type Run struct {
	Param         int
	Before, After Sync // what that goroutine may acquire and release by besides
}

// runsOf returns the parameters that fn starts as goroutines.
func (p *Program) runsOf(fn *ssa.Function) []Run {
	if f := p.fact(fn); f != nil {
		return f.Runs
	}
	if runs, ok := p.runs[fn]; ok {
		return runs
	}
	var runs []Run
	for n, param := range fn.Params {
		if _, ok := param.Type().Underlying().(*types.Signature); !ok || len(fn.Blocks) == 0 {
			continue
		}
		started, at := startOf(param)
		if started == nil || !p.LeavesBehind(NewFlow(fn), started) {
			continue
		}
		r := Run{Param: n}
		if at.Parent() != fn {
			r.Before, r.After = p.Around(at)
		}
		runs = append(runs, r)
	}
	p.runs[fn] = runs
	return runs
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
func handler(v ssa.Value) *Target {
	mi, ok := v.(*ssa.MakeInterface)
	if !ok {
		return nil
	}
	if call, ok := mi.X.(*ssa.ChangeType); ok {
		return TargetOf(call.X) // http.HandlerFunc(f)
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
	return &Target{Fn: fn, Args: []ssa.Value{mi.X}}
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
