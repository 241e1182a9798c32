package access

import (
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/coopvet/coop/escape/lockset"
	"github.com/coopvet/coop/escape/syncop"
)

// Sync is a set of means by which goroutines may order what they do.
type Sync uint8

const (
	syncChan Sync = 1 << iota
	syncGroup
	syncAtomic
	syncCond
	syncOnce
	syncLock
	syncUnknown // a call of a function that is not known
)

// May tells whether what has been released by r may have been acquired by a.
func May(r, a Sync) bool {
	// An unknown function may use everything but the WaitGroup that waits for its goroutine.
	const hidden = syncChan | syncAtomic | syncCond | syncOnce | syncLock | syncUnknown
	if r&syncUnknown != 0 && a&hidden != 0 || a&syncUnknown != 0 && r&hidden != 0 {
		return true
	}
	return r&a != 0
}

// WithoutLocks leaves out locks, and what may be locks.
func (s Sync) WithoutLocks() Sync { return s &^ (syncLock | syncCond | syncUnknown) }

// Waits tells whether a goroutine that acquires by s may have waited for another one to do
// something; locks do not count.
func (s Sync) Waits() bool { return s&(syncChan|syncGroup|syncCond) != 0 }

// Group tells whether the end of the goroutines of a group may have been waited for.
func (s Sync) Group() bool { return s&syncGroup != 0 }

// syncOf returns by which means i acquires what others have done before, and releases what
// has been done before it.
func (p *Program) syncOf(i ssa.Instruction) (acquire, release Sync) {
	switch syncop.OfInstr(i) {
	case syncop.Send, syncop.Receive, syncop.Select, syncop.Close:
		return syncChan, syncChan
	}
	c, ok := i.(ssa.CallInstruction)
	if !ok {
		return 0, 0
	}
	if b, ok := c.Common().Value.(*ssa.Builtin); ok {
		if b.Name() == "close" { // deferred
			return syncChan, syncChan
		}
		return 0, 0
	}
	if _, ok := i.(*ssa.Go); ok {
		return 0, 0
	}
	if stopsFunc(c) {
		if v := c.Value(); v == nil || len(*v.Referrers()) == 0 {
			return 0, 0 // the function may have been started already
		}
		return syncUnknown, syncUnknown
	}
	if op, args, ok := syncop.OfCall(c.Common()); ok {
		if op.Func >= 0 && op.Func < len(args) && op.Kind == syncop.Once {
			if t := TargetOf(args[op.Func]); t != nil {
				s := p.Of(t.Fn)
				return s.Before | syncOnce, s.After | syncOnce
			}
		}
		if waitsForAll(c.Common()) {
			return syncUnknown, 0
		}
		return syncOfKind(op.Kind)
	}
	if c.Common().IsInvoke() {
		return p.syncOfMethod(c)
	}
	if t := CalledBy(c.Common()); t != nil {
		if len(t.Fn.Blocks) > 0 {
			if p.open[t.Fn] {
				return 0, 0
			}
			s := p.Of(t.Fn)
			return s.Before, s.After
		}
		if Harmless(t.Fn) {
			return 0, 0
		}
		if f := p.fact(t.Fn); f != nil {
			return f.Before, f.After
		}
	}
	return syncUnknown, syncUnknown
}

// Unknown tells whether i calls something of which it is not known what it does.
func (p *Program) Unknown(i ssa.Instruction) bool {
	acquire, release := p.syncOf(i)
	return (acquire|release)&syncUnknown != 0
}

// waitsForAll tells whether the call is synctest.Wait, which returns when all other goroutines of
// its bubble are blocked.
func waitsForAll(c *ssa.CallCommon) bool {
	fn := c.StaticCallee()
	return fn != nil && fn.RelString(nil) == "testing/synctest.Wait"
}

// Around returns by which means fn may acquire before i, and release after it.
func (p *Program) Around(i ssa.Instruction) (before, after Sync) {
	fn := i.Parent()
	b := &builder{prog: p, fn: fn, flow: NewFlow(fn)}
	b.findSync()
	delete(b.sync, i)
	return b.order(i)
}

// stopsFunc tells whether the call stops the function of a context.AfterFunc or time.AfterFunc.
// Its result says whether the function has been kept from running; it never waits for it.
func stopsFunc(c ssa.CallInstruction) bool {
	common := c.Common()
	if fn := common.StaticCallee(); fn != nil {
		return fn.RelString(nil) == "(*time.Timer).Stop"
	}
	made, ok := lockset.PathOf(common.Value).Root.(*ssa.Call)
	if !ok {
		return false
	}
	fn := made.Call.StaticCallee()
	return fn != nil && fn.RelString(nil) == "context.AfterFunc"
}

func syncOfKind(k syncop.Kind) (acquire, release Sync) {
	switch k {
	case syncop.GroupWait, syncop.Subtest, syncop.Worker:
		return syncGroup, 0
	case syncop.GroupDone, syncop.GroupAdd:
		return 0, syncGroup
	case syncop.CondWait:
		return syncCond, 0
	case syncop.CondSignal, syncop.CondBroadcast:
		return 0, syncCond
	case syncop.AtomicLoad:
		return syncAtomic, 0
	case syncop.AtomicStore:
		return 0, syncAtomic
	case syncop.AtomicRMW, syncop.SyncMap, syncop.Pool:
		return syncAtomic, syncAtomic
	case syncop.Once:
		return syncOnce, syncOnce
	case syncop.Acquire, syncop.AcquireRead, syncop.TryAcquire, syncop.TryAcquireRead:
		return syncLock, 0
	case syncop.Release, syncop.ReleaseRead:
		return 0, syncLock
	}
	return 0, 0
}

// harmlessPackages do not synchronise the goroutines that call them, except for their own
// needs.
var harmlessPackages = map[string]bool{
	"bytes": true, "cmp": true, "errors": true, "fmt": true, "iter": true, "log": true, "maps": true,
	"math": true, "path": true, "regexp": true, "runtime": true, "slices": true, "sort": true,
	"strconv": true, "strings": true, "testing": true, "time": true, "unicode": true, "unsafe": true,
	"encoding": true, "hash": true, "crypto": true, "html": true, "text": true, "go": true,
}

// Harmless tells whether fn, which is not of this package, orders nothing.
func Harmless(fn *ssa.Function) bool {
	obj := syncop.Declared(fn)
	return obj != nil && harmless(obj)
}

// harmless tells whether the function, or method of an interface, orders nothing. The only one
// without a package is error.Error.
func harmless(obj *types.Func) bool {
	if obj.Pkg() == nil {
		return true
	}
	first, _, _ := strings.Cut(obj.Pkg().Path(), "/")
	return harmlessPackages[first]
}
