package escape

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/coopvet/coop/escape/lockset"
)

// function is a function's part of the graph.
type function struct {
	fn      *ssa.Function
	params  []*loc
	free    []*loc // captured variables
	results *loc   // a tuple
	values  map[ssa.Value]*loc
	locks   *lockset.Func
	held    map[ssa.Instruction]lockset.Set
	flow    *flow

	// Tarjan's algorithm, over calls as they become known.
	index, low int
	onStack    bool
	closed     bool
	recursive  bool
	unit       *unit

	locs    []*loc // created for it
	pending []*pending
	same    map[pendingKey][]*pending
	deep    []deepUse
	onces   []done
	starts  []ssa.Instruction // where goroutines may be started
	// vague are the statements that call functions given to them which may start goroutines.
	vague  map[ssa.Instruction]bool
	joined map[ssa.Instruction]barriers // where those are known to be over: see joins
	// outlived are the statements whose goroutines may start others that outlive them.
	outlived map[ssa.Instruction]bool
	transfer transfer
}

// done is a call of sync.Once.Do, after which the Once counts as held for reading.
type done struct {
	at   ssa.Instruction
	once lockAt
}

// unit is what mutually recursive functions, most often one, leave behind for their
// callers once all is known about them.
type unit struct {
	members []*function
	pending []*pending
	deep    []deepUse
	starts  bool // goroutines that may run when the functions have returned
	// What the functions hand over to other goroutines of that which their callers can
	// reach, and what they use after that.
	moved, kept []*loc
	size        int  // of all that, and of the part of the graph that callers can reach
	copied      int  // what has been copied of it since the budget was used up
	merged      bool // callers do not get copies of it any more: see merge.go
}

// pending is a call of a function that is known only by its value.
type pending struct {
	fn      *loc        // the function's closure, or the interface's memory
	method  *types.Func // of an interface; nil: fn is a function
	methods func(*types.Func) bool
	by      any // tells methods from others
	args    []value
	result  *loc
	sig     *types.Signature
	site    callSite
	done    map[*ssa.Function]bool
	instr   ssa.Instruction // the call itself, in whichever function
	foreign bool            // a function that is not analysed has been called
	depth   depth           // how far the call looks into its object
	within  *pending        // the call that has come to the object by that; nil: it is given to the call
	known   bool            // what methods that are not analysed do has been added
	streams bool            // the library's own objects are written,
	written bool            // and that has been added
	tried   *loc            // what fn was when all functions and types there were called,
	fns     int             // and their numbers
	types   int
}

type value struct {
	loc *loc
	typ types.Type
}

// callSite says where and how a function is called.
type callSite struct {
	frame  *function
	at     ssa.Instruction
	who    *thread        // the goroutine that calls; nil: the frame's own
	spawn  bool           // in a new goroutine
	many   bool           // possibly several times
	later  bool           // when the frame has ended, or at an unknown time
	loose  bool           // at may be only roughly where in the frame that is, or not just once
	vague  bool           // other functions that the frame gives to what at calls may be called there before
	behind bool           // what at calls may have started goroutines before
	leaked bool           // what at calls may have given away addresses before that it has been given
	locks  []lockAt       // that are held throughout
	before []lockAt       // that are held when it begins: these and others
	paths  []lockset.Path // of the arguments
	bounds []lockset.Path // of the captured variables
}

// lockAt is a lock that is held at a call.
type lockAt struct {
	lock    *loc
	reading bool
	path    lockset.Path // in the frame; no Root: not known
	name    string       // for people
}

// deepUse is a use of all that can be reached from a value by code that is not analysed.
type deepUse struct {
	root  *loc
	write bool
	acc   access // its site, locks and frame
}

func (e *engine) created(l *loc) {
	if e.current != nil {
		e.current.locs = append(e.current.locs, l)
	}
}

// val returns the node of a value in f.
func (e *engine) val(f *function, v ssa.Value) *loc {
	if l := f.values[v]; l != nil {
		return l.find()
	}
	l := e.newLoc(nil)
	f.values[v] = l
	switch v := v.(type) {
	case *ssa.Global:
		l.target = e.globalLoc(v)
	case *ssa.Function:
		t := e.newLoc(nil)
		t.fns = []*ssa.Function{v}
		l.target = t
	}
	return l
}

// point makes the pointer v point to l.
func (e *engine) point(f *function, v ssa.Value, l *loc) {
	x := e.val(f, v)
	if x.target == nil {
		x.target = l.find()
	} else {
		e.unify(x.target, l)
	}
}

func (e *engine) globalLoc(g *ssa.Global) *loc {
	if l := e.globals[g]; l != nil {
		return l.find()
	}
	l := &loc{global: true, origins: []origin{{global: g}}}
	if !e.own(g.Pkg) || e.foreignCode(g.Pkg) {
		l.escaped = true
	}
	e.globals[g] = l
	e.globalOrder = append(e.globalOrder, g)
	return l
}

// foreignCode reports whether a package has code in assembly or C, which may access its
// variables.
func (e *engine) foreignCode(p *ssa.Package) bool {
	has, known := e.assembly[p]
	if known {
		return has
	}
	for _, m := range p.Members {
		fn, ok := m.(*ssa.Function)
		has = has || ok && len(fn.Blocks) == 0
	}
	for _, imported := range p.Pkg.Imports() {
		has = has || imported.Path() == "C" || imported.Path() == "runtime/cgo"
	}
	e.assembly[p] = has
	return has
}

// alloc returns new memory that the instruction makes.
func (e *engine) alloc(f *function, at ssa.Instruction) *loc {
	l := e.newLoc(nil)
	l.origins = []origin{{at: at, many: f.flow.loops(at, nil)}}
	return l
}

// analyse computes the graph of fn and of all that it calls.
func (e *engine) analyse(fn *ssa.Function) *function {
	if f := e.funcs[fn]; f != nil {
		return f
	}
	e.check()
	e.counter++
	f := &function{fn: fn, index: e.counter, low: e.counter, onStack: true, values: make(map[ssa.Value]*loc), outlived: make(map[ssa.Instruction]bool)}
	e.funcs[fn] = f
	e.stack = append(e.stack, f)
	outer := e.current
	e.current = f
	f.flow = newFlow(fn, e.recovering)
	f.locks = e.locks.Of(fn)
	f.held = make(map[ssa.Instruction]lockset.Set)
	f.locks.Walk(func(i ssa.Instruction, held lockset.Set) {
		if len(held) > 0 {
			f.held[i] = held
		}
	})
	for _, p := range fn.Params {
		f.params = append(f.params, e.val(f, p))
	}
	for _, v := range fn.FreeVars {
		f.free = append(f.free, e.val(f, v))
	}
	f.results = e.newLoc(nil)
	for _, b := range fn.Blocks {
		for _, i := range b.Instrs {
			e.instr(f, i)
		}
	}
	e.resolve(f)
	if f.low == f.index {
		e.closeUnit(f)
	}
	e.current = outer
	return f
}

// resolve calls the functions that values turn out to be, until there are no new ones.
func (e *engine) resolve(f *function) {
	outer := e.current
	e.current = f
	for before := -1; before != e.changes; {
		before = e.changes
		for i := 0; i < len(f.pending); i++ {
			e.tryPending(f.pending[i])
		}
	}
	e.current = outer
}

// closeUnit ends the analysis of the functions that are mutually recursive with f,
// which was the first of them.
func (e *engine) closeUnit(f *function) {
	n := slices.Index(e.stack, f)
	for len(e.stack) > n+1 || f.recursive {
		before := e.changes
		for i := n; i < len(e.stack); i++ { // it may grow
			g := e.stack[i]
			g.recursive = true
			e.resolve(g)
			f.low = min(f.low, g.low)
		}
		if f.low < f.index {
			return // a function value leads back to an outer function, which closes the unit
		}
		if before == e.changes {
			break
		}
	}
	u := &unit{members: slices.Clone(e.stack[n:])}
	e.stack = e.stack[:n]
	for _, g := range u.members {
		g.onStack, g.closed, g.unit = false, true, u
	}
	e.finish(u)
}
