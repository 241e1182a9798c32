package doublelock

import (
	"fmt"
	"go/constant"
	"go/types"
	"regexp"
	"slices"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/coopvet/coop/analyzers/internal/access"
	"github.com/coopvet/coop/escape/lockset"
	"github.com/coopvet/coop/escape/syncop"
)

// keeper matches names of functions that are meant to keep a lock.
var keeper = regexp.MustCompile(`(?i)lock|acquire|begin|start|enter|hold|pin`)

// kept reports returns that hold a lock that the others release.
func (c *checker) kept(f *lockset.Func) {
	if len(f.Returns) < 2 || keeper.MatchString(f.Fn.Name()) || handsOutRelease(c, f.Fn) {
		return
	}
	for _, a := range f.Acquires {
		if a.Kind.IsTry() || a.Lock.Dynamic || f.Releases(a.Lock.Lock) || slices.ContainsFunc(f.Acquires, func(b lockset.Acquire) bool {
			return b.Lock.Lock == a.Lock.Lock && b.Instr.Pos() < a.Instr.Pos()
		}) {
			continue // the caller's, or reported with the first
		}
		var holding, free []lockset.Return
		for _, r := range f.Returns {
			switch {
			case r.Held.Has(a.Lock.Lock):
				holding = append(holding, r)
			case follows(a.Instr, r.Instr):
				free = append(free, r)
			}
		}
		if len(holding) == 0 || len(free) == 0 || !releasesItself(f.Fn, a.Lock.Lock) {
			continue
		}
		for _, r := range holding {
			if !success(r.Instr) && r.Instr.Pos().IsValid() {
				d := analysis.Diagnostic{
					Pos: r.Instr.Pos(), Category: "kept",
					Message: fmt.Sprintf("%s is still held at this return, while others release it", a.Lock.Lock),
					Related: []analysis.RelatedInformation{{Pos: a.Instr.Pos(), Message: "it is locked here"}},
				}
				if pos := free[0].Instr.Pos(); pos.IsValid() {
					d.Related = append(d.Related, analysis.RelatedInformation{Pos: pos, Message: "it is not held at this return"})
				}
				c.pass.Report(d)
			}
		}
	}
}

// follows tells whether b may be executed after a.
func follows(a, b ssa.Instruction) bool {
	seen := make(map[*ssa.BasicBlock]bool)
	work := []*ssa.BasicBlock{a.Block()}
	for len(work) > 0 {
		x := work[len(work)-1]
		work = work[:len(work)-1]
		if x == b.Block() {
			return true
		}
		for _, next := range x.Succs {
			if !seen[next] {
				seen[next] = true
				work = append(work, next)
			}
		}
	}
	return false
}

// releasesItself tells whether fn has an operation that releases the lock.
func releasesItself(fn *ssa.Function, lock lockset.Path) bool {
	for _, b := range fn.Blocks {
		for _, i := range b.Instrs {
			if call, ok := i.(ssa.CallInstruction); ok {
				op, args, ok := syncop.OfCall(call.Common())
				if ok && op.Kind.IsRelease() && lockset.PathOf(args[op.Object]) == lock {
					return true
				}
			}
		}
	}
	return false
}

// handsOutRelease tells whether fn makes a function that releases a lock.
func handsOutRelease(c *checker, fn *ssa.Function) bool {
	for _, b := range fn.Blocks {
		for _, i := range b.Instrs {
			mc, ok := i.(*ssa.MakeClosure)
			if !ok {
				continue
			}
			target := mc.Fn.(*ssa.Function)
			if m := syncop.Bound(target); m != nil {
				if op, ok := syncop.Of(m); ok && op.Kind.IsRelease() {
					return true
				}
				continue
			}
			if len(c.prog.Summary(target).Releases) > 0 {
				return true
			}
		}
	}
	return false
}

// success tells whether the results say that the function did what it is for: the last one is
// true, a nil error, or something that is not nil.
func success(ret *ssa.Return) bool {
	if len(ret.Results) == 0 {
		return false
	}
	v := access.Result(ret, len(ret.Results)-1)
	k, ok := v.(*ssa.Const)
	if types.Identical(v.Type(), types.Universe.Lookup("error").Type()) {
		return ok && k.Value == nil
	}
	if !ok {
		return true // not known
	}
	if k.Value == nil {
		return false
	}
	return k.Value.Kind() != constant.Bool || constant.BoolVal(k.Value)
}
