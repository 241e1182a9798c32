package access

import (
	"go/ast"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/coopvet/coop/escape/lockset"
	"github.com/coopvet/coop/escape/syncop"
)

// Classes is a set of classes of locks.
type Classes map[lockset.Class]bool

// AnyLock stands for a lock that the caller is said to hold.
const AnyLock lockset.Class = "*"

// Meets tells whether the sets have a lock in common.
func (c Classes) Meets(d Classes) bool {
	if c[AnyLock] || d[AnyLock] {
		return true
	}
	for x := range c {
		if d[x] {
			return true
		}
	}
	return false
}

func (c Classes) with(d Classes) Classes {
	if len(d) == 0 {
		return c
	}
	if len(c) == 0 {
		return d
	}
	sum := make(Classes, len(c)+len(d))
	for x := range c {
		sum[x] = true
	}
	for x := range d {
		sum[x] = true
	}
	return sum
}

// maybeHeld computes which locks may be held before each block of fn: a lock that is taken on
// some way there and not released since. Where lockset.Func.Before says what is surely held,
// this says what is surely not.
func (b *builder) maybeHeld() {
	b.maybe = make(map[*ssa.BasicBlock]Classes)
	entry := handedOver(b.prog.locks.Of(b.fn))
	if CallerHolds(b.fn) {
		entry = Classes{AnyLock: true}
	}
	work := []*ssa.BasicBlock{b.fn.Blocks[0]}
	b.maybe[b.fn.Blocks[0]] = entry
	for len(work) > 0 {
		blk := work[0]
		work = work[1:]
		out := b.maybe[blk]
		for _, i := range blk.Instrs {
			out = b.stepMaybe(out, i)
		}
		for _, next := range blk.Succs {
			old, seen := b.maybe[next]
			sum := old.with(out)
			if !seen || len(sum) > len(old) {
				b.maybe[next] = sum
				work = append(work, next)
			}
		}
	}
}

// handedOver returns the locks that the function itself always releases and never takes: its
// caller holds them, or who has started it as a goroutine held them for it.
func handedOver(f *lockset.Func) Classes {
	var all Classes
	for _, b := range f.Fn.Blocks {
		for _, i := range b.Instrs {
			call, ok := i.(ssa.CallInstruction)
			if !ok {
				continue
			}
			op, args, ok := syncop.OfCall(call.Common())
			if !ok || !op.Kind.IsRelease() || !Always(f.Fn, i) {
				continue
			}
			class := lockset.ClassOf(lockset.PathOf(args[op.Object]))
			taken := func(a lockset.Acquire) bool { return lockset.ClassOf(a.Lock.Lock) == class }
			if class != "" && !slices.ContainsFunc(f.Acquires, taken) {
				all = all.with(Classes{class: true})
			}
		}
	}
	return all
}

// stepMaybe returns what may be held after i.
func (b *builder) stepMaybe(held Classes, i ssa.Instruction) Classes {
	call, ok := i.(*ssa.Call)
	if !ok {
		return held
	}
	op, args, ok := syncop.OfCall(&call.Call)
	if !ok {
		if fn := call.Call.StaticCallee(); fn != nil {
			for _, a := range b.prog.locks.Summary(fn).Acquires {
				held = held.with(Classes{b.classOf(a.Ref, &call.Call): true})
			}
		}
		return held
	}
	class := func() lockset.Class { return lockset.ClassOf(lockset.PathOf(args[op.Object])) }
	switch {
	case op.Kind.IsAcquire():
		return held.with(Classes{class(): true})
	case op.Kind.IsRelease() && held[class()]:
		rest := make(Classes)
		for x := range held {
			if x != class() {
				rest[x] = true
			}
		}
		return rest
	}
	return held
}

// classOf is the class of a lock that a call acquires; "" if it cannot be named.
func (b *builder) classOf(r lockset.Ref, c *ssa.CallCommon) lockset.Class {
	switch {
	case r.From == lockset.Param && r.Index < len(c.Args):
		return lockset.ClassOf(lockset.PathOf(c.Args[r.Index]).Join(r.Sel))
	case r.From == lockset.Global:
		return r.Global + lockset.Class(r.Sel)
	}
	return ""
}

// maybeAt is what may be held before i.
func (b *builder) maybeAt(i ssa.Instruction) Classes {
	held := b.maybe[i.Block()]
	for _, j := range i.Block().Instrs {
		if j == i {
			break
		}
		held = b.stepMaybe(held, j)
	}
	return held
}

// holds matches comments that say that the caller holds a lock.
var holds = regexp.MustCompile(`(?is)\block(s|ed)?\b.{0,60}\b(held|hold|holds|holding|acquired)\b|\b(held|hold|holds|holding|acquired?|caller|under|with)\b.{0,60}\b(\w*mu|\w*mutex|lock)\b|not (thread|goroutine|concurrency)[- ]?safe`)

// CallerHolds tells whether the name of fn or its comment says that it is called with a lock
// held.
func CallerHolds(fn *ssa.Function) bool {
	name := fn.Name()
	if strings.HasSuffix(name, "Locked") || strings.HasSuffix(name, "LockHeld") || strings.HasSuffix(name, "WithLock") || strings.HasSuffix(name, "NoLock") || strings.HasSuffix(name, "Unlocked") || strings.HasSuffix(name, "Unsafe") {
		return true
	}
	decl, ok := fn.Syntax().(*ast.FuncDecl)
	return ok && decl.Doc != nil && holds.MatchString(decl.Doc.Text())
}

// MaybeAt returns the locks that may be held at i because its own function has taken them.
func (p *Program) MaybeAt(i ssa.Instruction) Classes {
	b := p.maybes[i.Parent()]
	if b == nil {
		b = &builder{prog: p, fn: i.Parent()}
		b.maybeHeld()
		p.maybes[i.Parent()] = b
	}
	return b.maybeAt(i)
}
