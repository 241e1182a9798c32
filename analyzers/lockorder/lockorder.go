package lockorder

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/coopvet/coop/analyzers/internal/acquire"
	"github.com/coopvet/coop/analyzers/internal/doc"
	"github.com/coopvet/coop/escape/lockset"
)

//go:embed doc.go
var docSource string

// Analyzer reports what doc.go describes. Its facts are the orders in which the functions of
// a package take locks.
var Analyzer = &analysis.Analyzer{
	Name:      "lockorder",
	Doc:       doc.Text(docSource),
	URL:       doc.URL("lockorder"),
	Requires:  []*analysis.Analyzer{acquire.Analyzer},
	FactTypes: []analysis.Fact{new(orderFact)},
	Run:       run,
}

// An edge says that a function takes a lock while it holds another.
type edge struct {
	From, To           lockset.Class
	HeldRead, TakeRead bool
	Gates              []lockset.Class // what is held besides, not for reading
	Where              string          // the function
	Via                string          // the calls by which it takes To, or ""

	fn   *lockset.Func // nil for an edge of another package
	held lockset.Held
	lock acquire.Lock
}

// orderFact lists the edges of a package.
type orderFact struct{ Edges []edge }

func (*orderFact) AFact() {}

func (f *orderFact) String() string {
	var all []string
	for _, e := range f.Edges {
		all = append(all, string(e.From+" → "+e.To))
	}
	return strings.Join(all, ", ")
}

func run(pass *analysis.Pass) (any, error) {
	prog := pass.ResultOf[acquire.Analyzer].(*acquire.Program)
	c := &checker{pass: pass, prog: prog, gates: make(map[*ssa.Function][]lockset.Class)}
	c.findCalls()
	for _, fn := range prog.Functions() {
		f := prog.Program.Of(fn)
		f.Walk(func(i ssa.Instruction, held lockset.Set) {
			switch i := i.(type) {
			case *ssa.Call:
				c.take(f, i, held)
			case *ssa.Defer:
				c.take(f, i, f.AtDeferred(i))
			}
		})
		c.mapOrder(f)
	}
	if len(c.edges) > 0 {
		pass.ExportPackageFact(&orderFact{c.edges})
	}
	c.cycles()
	return nil, nil
}

type checker struct {
	pass  *analysis.Pass
	prog  *acquire.Program
	edges []edge

	calls  map[*ssa.Function][]ssa.CallInstruction // static ones, by the function that is called
	values map[*ssa.Function]bool                  // functions that are used otherwise

	invoked map[string]bool // methods that are called through interfaces

	gates   map[*ssa.Function][]lockset.Class // what their callers hold
	reading map[lockset.Class]bool            // locks that are taken for reading; nil until needed
}

// take adds the edges of one call.
func (c *checker) take(f *lockset.Func, call ssa.CallInstruction, held lockset.Set) {
	if len(held) == 0 || c.isTest(f.Fn) {
		return
	}
	for _, l := range c.prog.At(call) {
		for _, h := range held {
			from := lockset.ClassOf(h.Lock)
			switch {
			case slices.Contains(l.Released, h.Lock) || fresh(h.Lock):
			case h.Dynamic || from == "" || l.Class == "" || local(from) || local(l.Class):
			case from != l.Class:
				c.add(f, h, l, held)
			default:
				c.instances(f, h, l)
			}
		}
	}
}

// fresh tells whether the lock is in an object that the function has made itself: while it is
// prepared nobody else knows it, and waits for it.
func fresh(lock lockset.Path) bool {
	alloc, ok := lock.Root.(*ssa.Alloc)
	return ok && alloc.Heap && !strings.Contains(lock.Sel, "*") && alloc.Comment == "complit" || ok && alloc.Comment == "new"
}

// isTest tells whether fn is a test or a helper of one, or in one. Tests take the locks of what they test to look at
// it, in any order and while nobody else does.
func (c *checker) isTest(fn *ssa.Function) bool {
	for fn.Parent() != nil {
		fn = fn.Parent()
	}
	return c.inTestFile(fn) && slices.ContainsFunc(fn.Params, func(p *ssa.Parameter) bool {
		return strings.HasPrefix(strings.TrimPrefix(p.Type().String(), "*"), "testing.")
	})
}

func (c *checker) inTestFile(fn *ssa.Function) bool {
	return strings.HasSuffix(c.pass.Fset.Position(fn.Pos()).Filename, "_test.go")
}

// local tells whether the class is that of a local variable, which no other function knows.
func local(c lockset.Class) bool { return strings.Contains(string(c), "@") }

func (c *checker) add(f *lockset.Func, h lockset.Held, l acquire.Lock, held lockset.Set) {
	from := lockset.ClassOf(h.Lock)
	var gates []lockset.Class
	for _, g := range held {
		if class := lockset.ClassOf(g.Lock); class != "" && class != from && !g.Reading {
			gates = append(gates, class)
		}
	}
	for _, class := range c.callerGates(f.Fn) {
		if class != from && !slices.Contains(gates, class) {
			gates = append(gates, class)
		}
	}
	same := func(e edge) bool {
		return e.From == from && e.To == l.Class && e.HeldRead == h.Reading && e.TakeRead == l.Reading && slices.Equal(e.Gates, gates)
	}
	if !slices.ContainsFunc(c.edges, same) {
		c.edges = append(c.edges, edge{
			From: from, To: l.Class, HeldRead: h.Reading, TakeRead: l.Reading, Gates: gates,
			Where: f.Fn.String(), Via: l.Via(), fn: f, held: h, lock: l,
		})
	}
}

// cycles reports the shortest cycles that have an edge in this package and no edge in common:
// two that share one are mostly one mistake.
func (c *checker) cycles() {
	all := slices.Clone(c.edges)
	for _, f := range c.pass.AllPackageFacts() {
		if f.Package != c.pass.Pkg {
			all = append(all, f.Fact.(*orderFact).Edges...)
		}
	}
	out := make(map[lockset.Class][]edge)
	for _, e := range all {
		out[e.From] = append(out[e.From], e)
	}
	var found [][]edge
	for _, e := range c.edges {
		if cycle := shortest(out, e); cycle != nil {
			found = append(found, cycle)
		}
	}
	slices.SortStableFunc(found, func(a, b []edge) int { return len(a) - len(b) })
	type link struct{ from, to lockset.Class }
	reported := make(map[link]bool)
	for _, cycle := range found {
		if slices.ContainsFunc(cycle, func(e edge) bool { return reported[link{e.From, e.To}] }) {
			continue
		}
		for _, e := range cycle {
			reported[link{e.From, e.To}] = true
		}
		c.report(cycle)
	}
}

// shortest returns the shortest cycle that begins with first and can be a deadlock.
func shortest(out map[lockset.Class][]edge, first edge) []edge {
	type node struct {
		class   lockset.Class
		reading bool // how it is taken
	}
	seen := map[node]bool{{first.To, first.TakeRead}: true}
	for paths := [][]edge{{first}}; len(paths) > 0; paths = paths[1:] {
		path := paths[0]
		last := path[len(path)-1]
		for _, e := range out[last.To] {
			if last.TakeRead && e.HeldRead {
				continue // two readers do not wait for each other
			}
			next := append(slices.Clone(path), e)
			n := node{e.To, e.TakeRead}
			switch {
			case e.To == first.From:
				if !(e.TakeRead && first.HeldRead) && !gated(next) {
					return next
				}
			case !seen[n]:
				seen[n] = true
				paths = append(paths, next)
			}
		}
	}
	return nil
}

// gated tells whether one lock is held in all links, so that only one goroutine at a time is
// in the cycle.
func gated(cycle []edge) bool {
	return slices.ContainsFunc(cycle[0].Gates, func(g lockset.Class) bool {
		return !slices.ContainsFunc(cycle, func(e edge) bool { return !slices.Contains(e.Gates, g) })
	})
}

func (c *checker) report(cycle []edge) {
	first := cycle[0]
	var order []string
	for _, e := range cycle {
		order = append(order, short(e.From))
	}
	d := analysis.Diagnostic{
		Pos: first.lock.Instr.Pos(), Category: "cycle",
		Message: fmt.Sprintf("locks are taken in a cycle: %s → %s", strings.Join(order, " → "), order[0]),
	}
	if !d.Pos.IsValid() {
		d.Pos = first.fn.Fn.Pos()
	}
	for _, e := range cycle {
		what := fmt.Sprintf("%s takes %s%s with %s held", functionName(e.Where), short(e.To), e.Via, short(e.From))
		if e.fn == nil {
			d.Message += "; " + what
			continue
		}
		d.Related = append(d.Related, c.chain(e, what)...)
	}
	c.pass.Report(d)
}

// chain is where the first lock of an edge is taken, and where the second.
func (c *checker) chain(e edge, what string) []analysis.RelatedInformation {
	var all []analysis.RelatedInformation
	for _, a := range e.fn.Acquires {
		if a.Lock.Lock == e.held.Lock && a.Instr.Pos().IsValid() {
			all = append(all, analysis.RelatedInformation{Pos: a.Instr.Pos(), Message: short(e.From) + " is taken here"})
			break
		}
	}
	pos := e.lock.Instr.Pos()
	if !pos.IsValid() {
		pos = e.fn.Fn.Pos()
	}
	return append(all, analysis.RelatedInformation{Pos: pos, Message: what})
}

// short is a class without the directories of its package.
func short(c lockset.Class) string {
	s := string(c)
	return s[strings.LastIndexByte(s, '/')+1:]
}

// functionName is a function's full name without the directories of its package.
func functionName(s string) string {
	if i := strings.LastIndexByte(s, '/'); i >= 0 {
		prefix := ""
		if strings.HasPrefix(s, "(*") {
			prefix = "(*"
		} else if strings.HasPrefix(s, "(") {
			prefix = "("
		}
		return prefix + s[i+1:]
	}
	return s
}
