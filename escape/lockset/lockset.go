// Package lockset computes which locks a goroutine certainly holds at each instruction
// of a function (must-held locks, after Savage et al., Eraser, and Stoller, RStest).
//
// A lock is known by its access path relative to a parameter, a captured variable, a
// package-level variable, an allocation or another value of the function (see Path).
// The analysis is a forward data-flow problem within a function, and uses a Summary of
// each function that is called: what it releases of its caller's locks and what it has
// acquired when it returns. So a lock may be taken and released in helpers. Recursive
// calls are taken to leave locks as they are.
//
// What the model does not see: a call of an unknown function (through an interface or
// a function value) is taken to leave locks alone, unless some function of the program
// that is used as a value releases a lock of its caller whose field has the same name
// (as unlock functions do). Paths through pointers name a lock by the pointers as they
// are read again and again; whoever needs to be sure that no one has changed them asks
// for Path.Constant.
package lockset

import (
	"go/token"
	"sync"

	"golang.org/x/tools/go/ssa"

	"github.com/coopvet/coop/escape/syncop"
)

// Program holds the results for functions, which it computes when they are asked for.
// It may be used by several goroutines.
type Program struct {
	fns   []*ssa.Function
	mu    sync.Mutex
	funcs map[*ssa.Function]*Func
	open  map[*ssa.Function]bool // being computed
	// imported returns the summary of a function without body; nil if there is none.
	imported func(*ssa.Function) *Summary
	// releasers are the last fields of the locks that functions used as values release
	// for their callers: a call of an unknown function may release them.
	releasers map[string]bool
	sound     *sound // of NewSound; else nil
}

// NewProgram returns a Program for functions with bodies among fns, which are also
// looked through for function values that release locks. imported, which may be nil,
// knows the functions without bodies.
func NewProgram(fns []*ssa.Function, imported func(*ssa.Function) *Summary) *Program {
	p := &Program{fns: fns, imported: imported}
	p.reset()
	releasers := make(map[string]bool)
	for _, fn := range fns {
		eachFunctionValue(fn, func(v *ssa.Function, bindings []ssa.Value) {
			if op, ok := syncop.Of(syncop.Bound(v)); ok && op.Kind.IsRelease() {
				releasers[PathOf(bindings[0]).Field()] = true
				return
			}
			for _, r := range p.Summary(v).Releases {
				path := Path{Sel: r.Sel}
				if r.From == FreeVar {
					path = PathOf(bindings[r.Index]).Join(r.Sel)
				}
				releasers[path.Field()] = true
			}
		})
	}
	if len(releasers) > 0 {
		p.reset()
		p.releasers = releasers
	}
	return p
}

// Functions returns the functions that the Program was made for.
func (p *Program) Functions() []*ssa.Function { return p.fns }

func (p *Program) reset() {
	p.funcs, p.open = make(map[*ssa.Function]*Func), make(map[*ssa.Function]bool)
}

// eachFunctionValue calls f for the functions that fn uses as values, not only calls,
// with what they capture.
func eachFunctionValue(fn *ssa.Function, f func(fn *ssa.Function, bindings []ssa.Value)) {
	for _, b := range fn.Blocks {
		for _, i := range b.Instrs {
			var called ssa.Value
			if c, ok := i.(ssa.CallInstruction); ok {
				called = c.Common().Value
			}
			c, closure := i.(*ssa.MakeClosure)
			if closure && !onlyCalled(c) {
				f(c.Fn.(*ssa.Function), c.Bindings)
			}
			for _, o := range i.Operands(nil) {
				if v, ok := (*o).(*ssa.Function); ok && !closure && v != called {
					f(v, nil)
				}
			}
		}
	}
}

// onlyCalled reports whether a function literal is called, deferred or started where
// it stands and not used otherwise.
func onlyCalled(c *ssa.MakeClosure) bool {
	for _, r := range *c.Referrers() {
		switch r := r.(type) {
		case ssa.CallInstruction:
			if r.Common().Value != c {
				return false
			}
			for _, a := range r.Common().Args {
				if a == c {
					return false
				}
			}
		case *ssa.DebugRef:
		default:
			return false
		}
	}
	return true
}

// Func is the result for one function.
type Func struct {
	Fn      *ssa.Function
	Summary *Summary
	// Acquires are the function's own lock operations in the order of the source, not
	// those of the functions that it calls.
	Acquires []Acquire
	// Returns are its return instructions, with the locks held after deferred calls.
	Returns []Return
	// Releasing are instructions that may release locks of the function's caller.
	Releasing []ssa.Instruction

	prog   *Program
	before map[*ssa.BasicBlock]state // at the start of the blocks that can be reached
	defers []*ssa.Defer
	atRun  map[*ssa.Defer]Set // when the deferred call runs
	roots  map[ssa.Value]bool // values that paths of locks start from, or index with
}

// Acquire is a lock operation that is not a release.
type Acquire struct {
	Instr ssa.CallInstruction // a call, or a deferred call
	Kind  syncop.Kind         // see syncop.Kind.IsAcquire
	Lock  Held
	Held  Set // before
}

// Return is a return of a function and what is held there.
type Return struct {
	Instr *ssa.Return
	Held  Set
}

// Of returns the result for fn; it is empty if fn has no body.
func (p *Program) Of(fn *ssa.Function) *Func {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.of(fn)
}

// Summary returns the summary of fn.
func (p *Program) Summary(fn *ssa.Function) *Summary {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.summary(fn)
}

func (p *Program) of(fn *ssa.Function) *Func {
	if f := p.funcs[fn]; f != nil {
		return f
	}
	f := &Func{Fn: fn, prog: p, Summary: &Summary{}}
	if len(fn.Blocks) > 0 {
		p.open[fn] = true
		f.solve()
		f.collect()
		f.summarise()
		if p.sound != nil {
			f.loosen()
			f.abrupt()
		}
		delete(p.open, fn)
	}
	p.funcs[fn] = f
	return f
}

var noSummary = &Summary{}

func (p *Program) summary(fn *ssa.Function) *Summary {
	if p.open[fn] { // recursion
		if p.sound == nil {
			return noSummary
		}
		return p.sound.of(fn)
	}
	if len(fn.Blocks) > 0 {
		return p.of(fn).Summary
	}
	if o := fn.Origin(); o != nil && len(o.Blocks) > 0 {
		return p.summary(o)
	}
	if p.imported != nil {
		if s := p.imported(fn); s != nil {
			return s
		}
	}
	return noSummary
}

// Reachable reports whether control can reach the instruction.
func (f *Func) Reachable(i ssa.Instruction) bool {
	_, ok := f.before[i.Block()]
	return ok
}

// Before returns the locks that are held immediately before i. Of code that cannot be
// reached nothing is known.
func (f *Func) Before(i ssa.Instruction) Set {
	f.prog.mu.Lock()
	defer f.prog.mu.Unlock()
	s, ok := f.before[i.Block()]
	if !ok {
		return nil
	}
	for _, j := range i.Block().Instrs {
		if j == i {
			break
		}
		f.step(&s, j, nil)
	}
	return s.held
}

// Released returns the locks of its caller that the function has released before i, and not taken
// again.
func (f *Func) Released(i ssa.Instruction) Set {
	f.prog.mu.Lock()
	defer f.prog.mu.Unlock()
	s, ok := f.before[i.Block()]
	if !ok || len(f.Summary.Releases) == 0 {
		return nil
	}
	for _, j := range i.Block().Instrs {
		if j == i {
			break
		}
		f.step(&s, j, nil)
	}
	return s.released
}

// Walk calls visit for every instruction that can be reached, with what is held before.
func (f *Func) Walk(visit func(i ssa.Instruction, held Set)) {
	for _, b := range f.Fn.Blocks {
		for n, held := range f.through(b) {
			visit(b.Instrs[n], held)
		}
	}
}

// through returns what is held before each instruction of b, nothing if control cannot
// reach it.
func (f *Func) through(b *ssa.BasicBlock) []Set {
	f.prog.mu.Lock()
	defer f.prog.mu.Unlock()
	s, ok := f.before[b]
	if !ok {
		return nil
	}
	sets := make([]Set, len(b.Instrs))
	for n, i := range b.Instrs {
		sets[n] = s.held
		f.step(&s, i, nil)
	}
	return sets
}

// AtDeferred returns the locks that are held when the deferred call runs.
func (f *Func) AtDeferred(d *ssa.Defer) Set { return f.atRun[d] }

// state is the analysis' knowledge at one point.
type state struct {
	held      Set
	released  Set    // locks of the caller, released by the function
	may, must uint64 // the defer statements that may, or must, have been executed
}

func (s state) equal(t state) bool {
	return s.may == t.may && s.must == t.must && s.held.equal(t.held) && s.released.equal(t.released)
}

func (s state) meet(t state) state {
	return state{held: s.held.meet(t.held), released: s.released.meet(t.released), may: s.may | t.may, must: s.must & t.must}
}

// solve computes the states before all blocks.
func (f *Func) solve() {
	f.before = make(map[*ssa.BasicBlock]state)
	f.findRoots()
	entry := f.Fn.Blocks[0]
	f.before[entry] = state{}
	work := []*ssa.BasicBlock{entry}
	if r := f.Fn.Recover; r != nil {
		// A panic may come from anywhere: nothing is known to be held.
		f.before[r] = state{may: ^uint64(0)}
		work = append(work, r)
	}
	for len(work) > 0 {
		b := work[0]
		work = work[1:]
		s := f.before[b]
		for _, i := range b.Instrs {
			f.step(&s, i, nil)
		}
		for n, succ := range b.Succs {
			out := s
			if try := tryBranch(b, n); try != nil {
				f.acquireTry(&out, try)
			}
			old, seen := f.before[succ]
			if seen {
				out = old.meet(out)
			}
			if !seen || !out.equal(old) {
				f.before[succ] = out
				work = append(work, succ)
			}
		}
	}
}

// tryBranch returns the call of TryLock, or of a function like it, whose result is true
// on the edge from b to its nth successor.
func tryBranch(b *ssa.BasicBlock, n int) *ssa.Call {
	br, ok := b.Instrs[len(b.Instrs)-1].(*ssa.If)
	if !ok || b.Succs[0] == b.Succs[1] {
		return nil
	}
	cond, want := br.Cond, 0
	for {
		not, ok := cond.(*ssa.UnOp)
		if !ok || not.Op != token.NOT {
			break
		}
		cond, want = not.X, 1-want
	}
	call, ok := cond.(*ssa.Call)
	if !ok || n != want {
		return nil
	}
	return call
}

// findRoots notes the values whose redefinition makes paths of locks mean other locks.
func (f *Func) findRoots() {
	f.roots = make(map[ssa.Value]bool)
	note := func(p Path) {
		f.roots[p.Root] = true
	}
	for _, b := range f.Fn.Blocks {
		for _, i := range b.Instrs {
			if d, ok := i.(*ssa.Defer); ok {
				f.defers = append(f.defers, d)
			}
			if x, ok := i.(*ssa.IndexAddr); ok {
				f.roots[x.Index] = true
			}
			if c, ok := i.(ssa.CallInstruction); ok {
				for _, e := range f.effects(c.Common(), c.Value()) {
					note(e.lock.Lock)
				}
			}
		}
	}
}
