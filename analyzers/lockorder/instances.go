package lockorder

import (
	"fmt"
	"go/token"
	"go/types"
	"regexp"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/coopvet/coop/analyzers/internal/acquire"
	"github.com/coopvet/coop/escape/lockset"
	"github.com/coopvet/coop/escape/syncop"
)

// index matches an element of a path.
var index = regexp.MustCompile(`\[([^\]]*)\]`)

// instances reports a function that takes the same lock of two objects that its caller
// chooses. Types that are made for a test are left out: it compares one with another that nobody else has.
func (c *checker) instances(f *lockset.Func, h lockset.Held, l acquire.Lock) {
	a, b := h.Lock, l.Path
	if b.Root == nil || a == b || h.Reading && l.Reading || index.ReplaceAllString(a.Sel, "[]") != index.ReplaceAllString(b.Sel, "[]") {
		return
	}
	if !chosen(f.Fn, a, b) || compares(f.Fn) || c.inTestFile(f.Fn) || c.fresh(f.Fn, a.Root) || c.fresh(f.Fn, b.Root) {
		return
	}
	pos := l.Instr.Pos()
	if !pos.IsValid() {
		pos = f.Fn.Pos()
	}
	d := analysis.Diagnostic{
		Pos: pos, Category: "instances",
		Message: fmt.Sprintf("%s is taken%s with %s held: two calls with the two exchanged can wait for each other", b, l.Via(), a),
	}
	for _, acq := range f.Acquires {
		if acq.Lock.Lock == a && acq.Instr.Pos().IsValid() {
			d.Related = append(d.Related, analysis.RelatedInformation{Pos: acq.Instr.Pos(), Message: fmt.Sprintf("%s is taken here", a)})
			break
		}
	}
	c.pass.Report(d)
}

// chosen tells whether the caller of fn chooses both objects: they are two parameters, or
// elements with two parameters as indices.
func chosen(fn *ssa.Function, a, b lockset.Path) bool {
	pa, oka := a.Root.(*ssa.Parameter)
	pb, okb := b.Root.(*ssa.Parameter)
	if !oka || !okb {
		return false
	}
	if pa != pb {
		return index.FindString(a.Sel) == ""
	}
	ia, ib := index.FindStringSubmatch(a.Sel), index.FindStringSubmatch(b.Sel)
	return ia != nil && ib != nil && ia[1] != ib[1] && isParam(fn, ia[1]) && isParam(fn, ib[1])
}

func isParam(fn *ssa.Function, name string) bool {
	for _, p := range fn.Params {
		if p.Name() == name {
			return true
		}
	}
	return false
}

// compares tells whether fn compares two values that are not known at compile time, which may
// be the way in which it finds an order.
func compares(fn *ssa.Function) bool {
	for _, b := range fn.Blocks {
		for _, i := range b.Instrs {
			op, ok := i.(*ssa.BinOp)
			if !ok {
				continue
			}
			_, cx := op.X.(*ssa.Const)
			_, cy := op.Y.(*ssa.Const)
			switch op.Op {
			case token.LSS, token.LEQ, token.GTR, token.GEQ:
				if !cx && !cy {
					return true
				}
			}
		}
	}
	return false
}

// fresh tells whether all calls of fn in this package pass an object of their own for the
// parameter, which nobody else can have locked.
func (c *checker) fresh(fn *ssa.Function, root ssa.Value) bool {
	n := -1
	for i, p := range fn.Params {
		if p == root {
			n = i
		}
	}
	calls := 0
	for _, caller := range c.prog.Functions() {
		for _, b := range caller.Blocks {
			for _, i := range b.Instrs {
				call, ok := i.(ssa.CallInstruction)
				if !ok || call.Common().StaticCallee() != fn || n < 0 {
					continue
				}
				calls++
				if _, alloc := lockset.PathOf(call.Common().Args[n]).Root.(*ssa.Alloc); !alloc {
					return false
				}
			}
		}
	}
	return calls > 0
}

// mapOrder reports locks that a loop over a map takes and keeps.
func (c *checker) mapOrder(f *lockset.Func) {
	for _, a := range f.Acquires {
		if !fromMap(a.Lock.Lock.Root) || !onlyDeferred(f, a.Lock.Lock) {
			continue
		}
		c.pass.Report(analysis.Diagnostic{
			Pos: a.Instr.Pos(), Category: "map",
			Message: fmt.Sprintf("%s of each value is taken, and kept, in the order of a map iteration, which differs from loop to loop", short(lockset.ClassOf(a.Lock.Lock))),
		})
	}
}

// fromMap tells whether v is a value of a map that a loop ranges over.
func fromMap(v ssa.Value) bool {
	e, ok := v.(*ssa.Extract)
	if !ok {
		return false
	}
	next, ok := e.Tuple.(*ssa.Next)
	if !ok || next.IsString {
		return false
	}
	r, ok := next.Iter.(*ssa.Range)
	if !ok {
		return false
	}
	_, isMap := r.X.Type().Underlying().(*types.Map)
	return isMap
}

// onlyDeferred tells whether the lock is released by a deferred call and nowhere else.
func onlyDeferred(f *lockset.Func, lock lockset.Path) bool {
	deferred := false
	for _, b := range f.Fn.Blocks {
		for _, i := range b.Instrs {
			call, ok := i.(ssa.CallInstruction)
			if !ok || !isRelease(call, lock) {
				continue
			}
			if _, ok := call.(*ssa.Defer); !ok {
				return false
			}
			deferred = true
		}
	}
	return deferred
}

func isRelease(call ssa.CallInstruction, lock lockset.Path) bool {
	op, args, ok := syncop.OfCall(call.Common())
	return ok && op.Kind.IsRelease() && lockset.PathOf(args[op.Object]) == lock
}
