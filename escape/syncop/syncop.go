// Package syncop is the one table from the functions and instructions of Go to what
// they mean for concurrency: which take or release a lock, wait, signal, start a
// goroutine, or call a function that they are given.
//
// A function that is not in the table has no meaning of its own; what it does follows
// from its body, or is unknown if it has none.
package syncop

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// Kind says what an operation does. The zero Kind is no operation.
type Kind uint8

const (
	None Kind = iota

	Acquire        // lock exclusively; may block
	AcquireRead    // lock for reading; may block
	TryAcquire     // lock if the result is true; does not block
	TryAcquireRead // the same for reading
	Release        // unlock
	ReleaseRead    // unlock what was locked for reading

	CondWait      // releases the Cond's lock, waits, and takes the lock again
	CondSignal    // wakes one
	CondBroadcast // wakes all

	GroupAdd  // WaitGroup.Add
	GroupDone // WaitGroup.Done
	GroupWait // waits for what was added and spawned: WaitGroup.Wait, errgroup.Group.Wait

	Spawn   // a goroutine of its own calls Func, once; Object, if any, is the group that waits for it
	Handler // goroutines call Func or the methods of the value Func, any number of times, possibly at once
	Later   // Func is called when the calling function's test ends, by the same goroutine (testing.T.Cleanup)
	Once    // Func is called by the first caller; all callers wait for its end
	Subtest // Func runs in a goroutine of its own; the caller waits for its end, or for its call of Parallel
	Worker  // Func is called by several goroutines at once; the caller waits for all of them (RunParallel)

	Parallel // the test goes on at the same time as other parallel tests

	AtomicLoad
	AtomicStore
	AtomicRMW // add, swap, and, or, compare-and-swap

	Pool     // sync.Pool Get and Put: what goes in may come out anywhere
	SyncMap  // methods of sync.Map
	NewCond  // sync.NewCond: the argument is the result's lock
	RLocker  // RWMutex.RLocker: the result's Lock is RLock
	Send     // ch <- v
	Receive  // <-ch, also by range
	Close    // close(ch)
	Select   // a select statement
	Go       // a go statement
	TimeWait // sleeps or waits for a timer
	Exit     // does not return: os.Exit, runtime.Goexit, log.Fatal, testing.T.FailNow, …

	numKinds
)

var kindNames = [numKinds]string{
	"none", "acquire", "acquire-read", "try-acquire", "try-acquire-read", "release", "release-read",
	"cond-wait", "cond-signal", "cond-broadcast", "group-add", "group-done", "group-wait",
	"spawn", "handler", "later", "once", "subtest", "worker", "parallel",
	"atomic-load", "atomic-store", "atomic-rmw", "pool", "sync-map", "new-cond", "rlocker",
	"send", "receive", "close", "select", "go", "time-wait", "exit",
}

// String returns the name of the kind.
func (k Kind) String() string { return kindNames[k] }

// IsAcquire reports whether a lock is held after the operation, or may be.
func (k Kind) IsAcquire() bool { return Acquire <= k && k <= TryAcquireRead }

// IsTry reports whether the operation takes the lock only if its result is true.
func (k Kind) IsTry() bool { return k == TryAcquire || k == TryAcquireRead }

// IsRelease reports whether the operation releases a lock.
func (k Kind) IsRelease() bool { return k == Release || k == ReleaseRead }

// IsAtomic reports whether the operation is one of package sync/atomic.
func (k Kind) IsAtomic() bool { return AtomicLoad <= k && k <= AtomicRMW }

// ForReading reports whether the lock is, or was, held for reading only.
func (k Kind) ForReading() bool {
	return k == AcquireRead || k == TryAcquireRead || k == ReleaseRead
}

// Op is what a call of a function does.
type Op struct {
	Kind Kind
	// Object is the position of the lock, condition, group or atomic variable among
	// the arguments, where a method's receiver is argument 0; -1: there is none.
	Object int
	// Func is the position of the function that is called, or whose methods are; -1:
	// there is none.
	Func int
	// Dynamic: the function is a method of an interface, and so the real operation is
	// known only if the value is: a sync.Locker need not lock anything.
	Dynamic bool
}

// Of returns what calls of fn do. Instances of generic functions and methods are what
// their origins are.
func Of(fn *types.Func) (Op, bool) {
	if fn == nil || fn.Pkg() == nil {
		return Op{}, false
	}
	names, ok := table[fn.Pkg().Path()]
	if !ok {
		return Op{}, false
	}
	op, ok := names[localName(fn)]
	return op, ok
}

// localName is the name of fn in its package: F, or T.M whether T or *T is the receiver.
func localName(fn *types.Func) string {
	recv := fn.Signature().Recv()
	if recv == nil {
		return fn.Name()
	}
	t := types.Unalias(recv.Type())
	if p, ok := t.(*types.Pointer); ok {
		t = types.Unalias(p.Elem())
	}
	if n, ok := t.(*types.Named); ok {
		return n.Obj().Name() + "." + fn.Name()
	}
	return fn.Name()
}

// OfCall returns what a call does, and its arguments with the receiver as argument 0,
// to which the Op's positions refer. It sees through method values: of f := mu.Unlock,
// f() is a release of mu.
func OfCall(c *ssa.CallCommon) (op Op, args []ssa.Value, ok bool) {
	if c.IsInvoke() {
		op, ok = Of(c.Method)
		op.Dynamic = true
		return op, append([]ssa.Value{c.Value}, c.Args...), ok
	}
	switch f := c.Value.(type) {
	case *ssa.Function:
		op, ok = Of(Declared(f))
		return op, c.Args, ok
	case *ssa.MakeClosure:
		fn := f.Fn.(*ssa.Function)
		if m := Bound(fn); m != nil {
			op, ok = Of(m)
			op.Dynamic = types.IsInterface(m.Signature().Recv().Type())
			return op, append([]ssa.Value{f.Bindings[0]}, c.Args...), ok
		}
	}
	return Op{}, c.Args, false
}

// Bound returns the method of a method value, given the function of its closure; nil
// if that is none.
func Bound(fn *ssa.Function) *types.Func {
	if fn.Synthetic == "" || len(fn.FreeVars) != 1 || fn.Parent() != nil {
		return nil
	}
	m, _ := fn.Object().(*types.Func)
	return m
}

// Declared returns the declaration of a function; nil for function literals and for
// what has no declaration.
func Declared(fn *ssa.Function) *types.Func {
	if o := fn.Origin(); o != nil {
		fn = o
	}
	f, _ := fn.Object().(*types.Func)
	return f
}

// OfInstr returns what an instruction does that is not a call: channel operations,
// select and go.
func OfInstr(i ssa.Instruction) Kind {
	switch i := i.(type) {
	case *ssa.Send:
		return Send
	case *ssa.UnOp:
		if i.Op == token.ARROW {
			return Receive
		}
	case *ssa.Select:
		return Select
	case *ssa.Go:
		return Go
	case *ssa.Call:
		if b, ok := i.Call.Value.(*ssa.Builtin); ok && b.Name() == "close" {
			return Close
		}
	}
	return None
}

// Blocks reports whether the operation may wait for another goroutine.
func (k Kind) Blocks() bool {
	switch k {
	case Acquire, AcquireRead, CondWait, GroupWait, Once, Subtest, Worker, Send, Receive, Select:
		return true
	}
	return false
}
