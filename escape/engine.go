package escape

import (
	"context"
	"errors"
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/go/types/typeutil"

	"github.com/coopvet/coop/escape/lockset"
)

// engine analyses one program.
type engine struct {
	ctx    context.Context
	prog   *ssa.Program
	locks  *lockset.Program
	opened map[*ssa.Package]bool // packages whose functions are analysed
	// variants is nil if no package of the program is there several times.
	variants *variants
	funcs    map[*ssa.Function]*function
	globals  map[*ssa.Global]*loc
	// assembly are the packages that have functions without a Go body.
	assembly map[*ssa.Package]bool
	// globalOrder are the variables in the order in which they were met.
	globalOrder []*ssa.Global
	pointers    map[types.Type]bool
	declared    map[*types.Package]map[string]bool // methods of its interfaces
	work        int                                // see spend
	budget      int                                // the work after which the calls of large functions are told apart no more
	merged      int                                // the number of functions of which they are not
	root        *function
	public      []*loc    // from which memory of merged units can be reached
	publicDeep  []deepUse // of public memory
	lost        []lostFunc
	lostFns     map[*ssa.Function]bool // that are, or have been, among them
	lostTypes   typeutil.Map           // of which it has been noted
	ownPaths    map[string]bool        // of the packages that are analysed
	stack       []*function
	current     *function
	counter     int
	changes     int          // of the graph
	origins     int          // the last number given to one
	keys        typeutil.Map // a field number for each type: see typeKey
	reflective  typeutil.Map // whether a type is: see interesting
	threads     map[thread]*thread
	edges       map[edge]bool
	edgeLocks   map[edge][]*loc // package-level locks held at the call, by all of them
	tests       bool            // the program is tests
	parallel    bool            // tests may run at the same time
	tries       bool            // TryLock is called somewhere
	ownMethods  map[string]bool // names of methods that the program declares
	recovering  map[string]bool // names of methods that stop a panic if they are deferred

	sites  map[ssa.Instruction]*site
	placed map[token.Pos][]*site // by the position of the access
	hidden map[token.Pos][]*site // of accesses without a position of their own
	ranged map[token.Pos][]*site // elements of the slice at a position
	found  []Location
	thrown *loc // what panics and recover pass on
	called func(at ssa.Instruction, fn *ssa.Function)
}

// edge is a call, for the goroutines in which functions run.
type edge struct {
	from, to *ssa.Function
	spawn    bool
}

// errBudget says that the analysis took too long.
var errBudget = errors.New("the analysis would take too long or too much memory")

func newEngine(ctx context.Context, prog *ssa.Program, pkgs []*ssa.Package, work int) *engine {
	e := &engine{
		ctx: ctx, prog: prog, budget: work, opened: make(map[*ssa.Package]bool), ownPaths: make(map[string]bool), funcs: make(map[*ssa.Function]*function),
		globals: make(map[*ssa.Global]*loc), assembly: make(map[*ssa.Package]bool), lostFns: make(map[*ssa.Function]bool), pointers: make(map[types.Type]bool), declared: make(map[*types.Package]map[string]bool), threads: make(map[thread]*thread),
		edges: make(map[edge]bool), edgeLocks: make(map[edge][]*loc), sites: make(map[ssa.Instruction]*site),
		placed: make(map[token.Pos][]*site), hidden: make(map[token.Pos][]*site), ranged: make(map[token.Pos][]*site),
		thrown: &loc{global: true, escaped: true}, variants: newVariants(prog, pkgs),
	}
	for _, p := range pkgs {
		e.opened[p], e.ownPaths[p.Pkg.Path()] = true, true
	}
	return e
}

// DefaultWork is what Options.Work is if it is not known better: a few hundred bytes each.
const DefaultWork = 2_000_000

// maxWork is how much is done at most after that, so that its memory is bounded.
const maxWork = 8_000_000

// check stops the analysis when its time is over.
func (e *engine) check() {
	if e.ctx.Err() != nil {
		panic(errBudget)
	}
}

// spend counts n units of work.
func (e *engine) spend(n int) {
	before := e.work
	e.work += n
	if e.work > e.budget+maxWork {
		panic(errBudget)
	}
	if before>>12 != e.work>>12 {
		e.check()
	}
}

// own reports whether the package is analysed, and not only known by its types.
func (e *engine) own(p *ssa.Package) bool { return p != nil && e.opened[p] }

// thread returns the goroutine of that description.
func (e *engine) thread(t thread) *thread {
	if old := e.threads[t]; old != nil {
		return old
	}
	n := t
	e.threads[t] = &n
	return &n
}

// inFrame returns what a goroutine of a callee, or the new goroutine if who is nil, is in
// the frame of the call of callee.
func (e *engine) inFrame(s *callSite, callee *function, who *thread, path lockset.Path) *thread {
	if who == nil && !s.spawn {
		return s.who
	}
	if deep(s.who) {
		return e.thread(thread{many: true})
	}
	many := s.many || s.frame.recursive || who != nil && who.many || s.who != nil && s.who.many
	if !many && s.at != nil {
		many = s.frame.flow.loops(s.at, made(path))
	}
	t := thread{at: s.at, outer: s.who, many: many, start: s.at}
	if who != nil {
		t.inner, t.start = who, who.start
		t.ended = !s.spawn && callee != nil && callee.endsWithin(who)
	}
	return e.thread(t)
}

// manyNested is how many goroutines of a frame are kept apart that start one another.
const manyNested = 3

// deep reports whether goroutines started by t need not be told apart. There is no end
// of them if a goroutine calls a function that starts another one which calls it again.
func deep(t *thread) bool {
	for range manyNested {
		if t == nil {
			return false
		}
		t = t.outer
	}
	return t != nil
}

// made returns the instruction that makes the object of which the location at p is a
// part; nil if it is not known, or not made anew by each execution.
func made(p lockset.Path) ssa.Instruction {
	if p.Root == nil || strings.Contains(p.Sel, "*") {
		return nil
	}
	return makes(p.Root)
}
