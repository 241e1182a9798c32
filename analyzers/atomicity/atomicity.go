package atomicity

import (
	_ "embed"
	"go/token"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/coopvet/coop/analyzers/internal/access"
	"github.com/coopvet/coop/analyzers/internal/doc"
	"github.com/coopvet/coop/escape/lockset"
	"github.com/coopvet/coop/escape/syncop"
)

//go:embed doc.go
var docSource string

// Analyzer reports what doc.go describes.
var Analyzer = &analysis.Analyzer{
	Name:     "atomicity",
	Doc:      doc.Text(docSource),
	URL:      doc.URL("atomicity"),
	Requires: []*analysis.Analyzer{lockset.Analyzer},
	Run:      run,
}

func run(pass *analysis.Pass) (any, error) {
	result := pass.ResultOf[lockset.Analyzer].(*lockset.Program)
	once := onceFunctions(result.Functions())
	accesses := access.NewOwn(result)
	closing := closers(result)
	calls := callsOf(result.Functions())
	for _, fn := range result.Functions() {
		// Tests mostly look at what they test from one goroutine.
		if len(fn.Blocks) == 0 || once[fn] || strings.HasSuffix(pass.Fset.Position(fn.Pos()).Filename, "_test.go") {
			continue
		}
		c := &checker{pass: pass, result: result, accesses: accesses, fn: fn, flow: access.NewFlow(fn), locks: result.Of(fn), closers: closing}
		c.sections()
		if !mayHold(result, calls, fn, 0) {
			c.collect()
			c.atomics()
			c.syncMaps()
			c.channels()
		}
	}
	return nil, nil
}

// onceFunctions are those that a sync.Once calls.
func onceFunctions(fns []*ssa.Function) map[*ssa.Function]bool {
	all := make(map[*ssa.Function]bool)
	for _, fn := range fns {
		for _, b := range fn.Blocks {
			for _, i := range b.Instrs {
				call, ok := i.(ssa.CallInstruction)
				if !ok {
					continue
				}
				op, args, ok := syncop.OfCall(call.Common())
				if !ok || op.Kind != syncop.Once || op.Func >= len(args) {
					continue
				}
				if t := access.TargetOf(args[op.Func]); t != nil {
					all[t.Fn] = true
				}
			}
		}
	}
	return all
}

// callsOf lists the static calls of each function.
func callsOf(fns []*ssa.Function) map[*ssa.Function][]ssa.CallInstruction {
	calls := make(map[*ssa.Function][]ssa.CallInstruction)
	for _, fn := range fns {
		for _, b := range fn.Blocks {
			for _, i := range b.Instrs {
				if call, ok := i.(ssa.CallInstruction); ok {
					if t := access.CalledBy(call.Common()); t != nil {
						calls[t.Fn] = append(calls[t.Fn], call)
					}
				}
			}
		}
	}
	return calls
}

// mayHold tells whether some caller of fn holds a lock, so that fn may rely on it.
func mayHold(r *lockset.Program, calls map[*ssa.Function][]ssa.CallInstruction, fn *ssa.Function, depth int) bool {
	if access.CallerHolds(fn) {
		return true
	}
	if depth > 4 {
		return false
	}
	for _, call := range calls[fn] {
		if _, isGo := call.(*ssa.Go); isGo {
			continue
		}
		if len(r.Of(call.Parent()).Before(call)) > 0 || mayHold(r, calls, call.Parent(), depth+1) {
			return true
		}
	}
	return false
}

// A checker looks at one function.
type checker struct {
	pass     *analysis.Pass
	result   *lockset.Program
	accesses *access.Program
	fn       *ssa.Function
	flow     *access.Flow
	locks    *lockset.Func
	closers  []closer    // of the package
	ops      []operation // atomic operations and those on a sync.Map, surely without a lock held
}

// An operation is a call of sync/atomic or sync.Map.
type operation struct {
	call *ssa.Call
	kind syncop.Kind
	name string // of the method or function
	path lockset.Path
	args []ssa.Value // behind the object
}

// collect lists the operations of the function that are surely made without a lock. Those on an
// object that the function has made itself are left out.
func (c *checker) collect() {
	c.locks.Walk(func(i ssa.Instruction, held lockset.Set) {
		call, ok := i.(*ssa.Call)
		if !ok || len(held) > 0 || len(c.accesses.MaybeAt(i)) > 0 {
			return
		}
		op, args, ok := syncop.OfCall(&call.Call)
		if !ok || !op.Kind.IsAtomic() && op.Kind != syncop.SyncMap || op.Object < 0 {
			return
		}
		path := lockset.PathOf(args[op.Object])
		if _, own := path.Root.(*ssa.Alloc); own {
			return
		}
		c.ops = append(c.ops, operation{call, op.Kind, call.Call.StaticCallee().Name(), path, args[op.Object+1:]})
	})
}

// guards tells whether the branch at the end of block b decides whether i is executed.
func (c *checker) guards(b *ssa.BasicBlock, i ssa.Instruction) bool {
	if len(b.Succs) != 2 || !b.Dominates(i.Block()) || b == i.Block() {
		return false
	}
	return !reaches(b.Succs[0], i.Block(), b) || !reaches(b.Succs[1], i.Block(), b)
}

// reaches tells whether to is reached from from without passing except.
func reaches(from, to, except *ssa.BasicBlock) bool {
	seen := map[*ssa.BasicBlock]bool{except: true}
	work := []*ssa.BasicBlock{from}
	for len(work) > 0 {
		b := work[len(work)-1]
		work = work[:len(work)-1]
		if b == to {
			return true
		}
		if !seen[b] {
			seen[b] = true
			work = append(work, b.Succs...)
		}
	}
	return false
}

// tested returns the branches whose condition depends on v.
func tested(v ssa.Value) []*ssa.BasicBlock {
	var all []*ssa.BasicBlock
	seen := make(map[ssa.Value]bool)
	var follow func(v ssa.Value, depth int)
	follow = func(v ssa.Value, depth int) {
		if seen[v] || depth > 8 || v.Referrers() == nil {
			return
		}
		seen[v] = true
		for _, ref := range *v.Referrers() {
			switch ref := ref.(type) {
			case *ssa.If:
				all = append(all, ref.Block())
			case *ssa.BinOp, *ssa.UnOp, *ssa.Extract, *ssa.Convert, *ssa.ChangeType, *ssa.Phi, *ssa.TypeAssert:
				follow(ref.(ssa.Value), depth+1)
			case *ssa.Call:
				if b, ok := ref.Call.Value.(*ssa.Builtin); ok && b.Name() == "len" {
					follow(ref, depth+1)
				}
			}
		}
	}
	follow(v, 0)
	return all
}

// dependsOn tells whether v is computed from a value for which found is true.
func dependsOn(v ssa.Value, found func(ssa.Value) bool) bool {
	seen := make(map[ssa.Value]bool)
	var search func(v ssa.Value, depth int) bool
	search = func(v ssa.Value, depth int) bool {
		if v == nil || seen[v] || depth > 10 {
			return false
		}
		seen[v] = true
		if found(v) {
			return true
		}
		switch v := v.(type) {
		case *ssa.Alloc:
			// What is stored in a variable whose address is v.
			for _, ref := range *v.Referrers() {
				if s, ok := ref.(*ssa.Store); ok && s.Addr == ssa.Value(v) && search(s.Val, depth+1) {
					return true
				}
			}
			return false
		case *ssa.BinOp, *ssa.UnOp, *ssa.Convert, *ssa.ChangeType, *ssa.Slice, *ssa.Phi, *ssa.Extract,
			*ssa.TypeAssert, *ssa.MakeInterface, *ssa.FieldAddr, *ssa.Field:
			for _, o := range v.(ssa.Instruction).Operands(nil) {
				if search(*o, depth+1) {
					return true
				}
			}
		case *ssa.Call:
			if b, ok := v.Call.Value.(*ssa.Builtin); ok && b.Name() == "append" {
				return search(v.Call.Args[0], depth+1)
			}
		}
		return false
	}
	return search(v, 0)
}

func (c *checker) report(pos token.Pos, category, message string, related ...analysis.RelatedInformation) {
	if pos.IsValid() {
		c.pass.Report(analysis.Diagnostic{Pos: pos, Category: category, Message: message, Related: related})
	}
}

func at(pos token.Pos, message string) analysis.RelatedInformation {
	return analysis.RelatedInformation{Pos: pos, Message: message}
}
