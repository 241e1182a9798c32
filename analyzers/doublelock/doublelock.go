package doublelock

import (
	_ "embed"
	"fmt"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/coopvet/coop/analyzers/internal/acquire"
	"github.com/coopvet/coop/analyzers/internal/doc"
	"github.com/coopvet/coop/escape/lockset"
	"github.com/coopvet/coop/escape/syncop"
)

//go:embed doc.go
var docSource string

// Analyzer reports what doc.go describes.
var Analyzer = &analysis.Analyzer{
	Name:     "doublelock",
	Doc:      doc.Text(docSource),
	URL:      doc.URL("doublelock"),
	Requires: []*analysis.Analyzer{acquire.Analyzer},
	Run:      run,
}

func run(pass *analysis.Pass) (any, error) {
	prog := pass.ResultOf[acquire.Analyzer].(*acquire.Program)
	c := &checker{pass: pass, prog: prog, writers: writers(prog)}
	for _, fn := range prog.Functions() {
		f := prog.Program.Of(fn)
		f.Walk(func(i ssa.Instruction, held lockset.Set) {
			switch i := i.(type) {
			case *ssa.Call:
				c.taken(f, i, held)
				c.exit(f, i, held)
			case *ssa.Defer:
				c.taken(f, i, f.AtDeferred(i))
			}
		})
		c.kept(f)
	}
	return nil, nil
}

type checker struct {
	pass    *analysis.Pass
	prog    *acquire.Program
	writers map[lockset.Class]bool
}

// writers are the locks that the package locks for writing.
func writers(prog *acquire.Program) map[lockset.Class]bool {
	all := make(map[lockset.Class]bool)
	for _, fn := range prog.Functions() {
		for _, a := range prog.Program.Of(fn).Acquires {
			if !a.Lock.Reading {
				all[lockset.ClassOf(a.Lock.Lock)] = true
			}
		}
	}
	return all
}

// taken reports locks that the call takes although they are held.
func (c *checker) taken(f *lockset.Func, call ssa.CallInstruction, held lockset.Set) {
	if len(held) == 0 {
		return
	}
	for _, l := range c.prog.At(call) {
		if l.Path.Root == nil || !l.Sure && mayDependOnCaller(call) {
			continue
		}
		for _, h := range held {
			if h.Lock != l.Path || h.Dynamic || stale(f, h) || slices.Contains(l.Released, h.Lock) {
				continue
			}
			c.twice(f, call, l, h)
			return
		}
	}
}

// mayDependOnCaller tells whether a flag tells the called function what to do, for instance
// that the lock is held.
func mayDependOnCaller(call ssa.CallInstruction) bool {
	for _, arg := range call.Common().Args {
		if b, ok := arg.Type().Underlying().(*types.Basic); ok && b.Info()&types.IsBoolean != 0 {
			return true
		}
	}
	return false
}

// stale tells whether a pointer on the way to the lock may have been changed in the function,
// so that the path may mean another lock now.
func stale(f *lockset.Func, h lockset.Held) bool {
	if h.Lock.Constant() {
		return false
	}
	for _, b := range f.Fn.Blocks {
		for _, i := range b.Instrs {
			s, ok := i.(*ssa.Store)
			if !ok {
				continue
			}
			p := lockset.PathOf(s.Addr)
			if p.Root == h.Lock.Root && len(p.Sel) < len(h.Lock.Sel) && h.Lock.Sel[:len(p.Sel)] == p.Sel {
				return true
			}
		}
	}
	return false
}

func (c *checker) twice(f *lockset.Func, call ssa.CallInstruction, l acquire.Lock, h lockset.Held) {
	d := analysis.Diagnostic{Pos: call.Pos(), Category: "twice"}
	name := h.Lock.String()
	switch {
	case l.Reading && h.Reading:
		if !c.writers[l.Class] {
			return
		}
		d.Category = "read"
		d.Message = fmt.Sprintf("%s is locked for reading again%s: if a writer waits in between, both wait forever", name, l.Via())
	case h.Reading:
		d.Message = fmt.Sprintf("%s is locked%s although it is held for reading: the goroutine waits for itself", name, l.Via())
	default:
		d.Message = fmt.Sprintf("%s is locked%s although it is held: the goroutine waits for itself", name, l.Via())
	}
	for _, a := range f.Acquires {
		if a.Lock.Lock == h.Lock && a.Instr != call && a.Instr.Pos().IsValid() {
			d.Related = append(d.Related, analysis.RelatedInformation{Pos: a.Instr.Pos(), Message: "it has been locked here"})
			break
		}
	}
	if l.Pos().IsValid() && l.Pos() != call.Pos() {
		d.Related = append(d.Related, analysis.RelatedInformation{Pos: l.Pos(), Message: "it is locked again here"})
	}
	if !d.Pos.IsValid() {
		d.Pos = f.Fn.Pos()
	}
	c.pass.Report(d)
}

// exit reports the end of a goroutine that holds locks.
func (c *checker) exit(f *lockset.Func, call *ssa.Call, held lockset.Set) {
	fn := call.Call.StaticCallee()
	if len(held) == 0 || fn == nil || fn.RelString(nil) != "runtime.Goexit" {
		return
	}
	for _, h := range held {
		if !releasedByDefer(f.Fn, h.Lock) {
			c.pass.Report(analysis.Diagnostic{
				Pos: call.Pos(), Category: "exit",
				Message: fmt.Sprintf("the goroutine ends with %s held", h.Lock),
				Related: whereTaken(f, h.Lock),
			})
		}
	}
}

func releasedByDefer(fn *ssa.Function, lock lockset.Path) bool {
	for _, b := range fn.Blocks {
		for _, i := range b.Instrs {
			d, ok := i.(*ssa.Defer)
			if !ok {
				continue
			}
			op, args, known := syncop.OfCall(&d.Call)
			if !known || op.Kind.IsRelease() && lockset.PathOf(args[op.Object]) == lock {
				return true // a function that is not known may release it, too
			}
		}
	}
	return false
}

func whereTaken(f *lockset.Func, lock lockset.Path) []analysis.RelatedInformation {
	for _, a := range f.Acquires {
		if a.Lock.Lock == lock && a.Instr.Pos() != token.NoPos {
			return []analysis.RelatedInformation{{Pos: a.Instr.Pos(), Message: "it has been locked here"}}
		}
	}
	return nil
}
