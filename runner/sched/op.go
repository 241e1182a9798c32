// Package sched is the vocabulary that every part of cooprun shares: operations,
// tasks, the dependence relation, strategies, listeners, failures, schedules and
// the messages between the parent process and its workers.
//
// It is a leaf. It is linked into the program under test, so it imports the
// standard library only, and it holds no state.
package sched

// Kind says what an operation does. The zero Kind is no operation.
type Kind uint8

const (
	None Kind = iota

	Start  // the first step of a new task
	Resume // a task that blocked for real goes on

	Read  // plain memory read
	Write // plain memory write

	AtomicLoad
	AtomicStore
	AtomicRMW // add, swap, and, or, compare-and-swap

	MapRead  // lookup, len or iteration of a Go map
	MapWrite // assignment to, delete from or clear of a Go map

	Lock
	TryLock
	Unlock
	RLock
	TryRLock
	RUnlock
	WLock // RWMutex.Lock
	TryWLock
	WUnlock

	Send
	Recv
	Close
	Select        // blocking select; its channels are Op.More
	SelectDefault // select with a default case
	ChanLen       // len or cap of a channel

	WaitGroupAdd // Add and Done
	WaitGroupWait
	CondWait
	CondSignal
	CondBroadcast
	OnceDo
	PoolOp // sync.Pool Get or Put
	MapOp  // sync.Map methods

	Go      // a go statement
	Gosched // runtime.Gosched
	Sleep
	TimerSet  // creation, Reset or Stop of a timer
	TimerFire // the virtual clock fires a timer
	Coroutine // iter.Pull hand-over
	IOWait    // network poller
	Exit      // the last step of a task
	Call      // in traces: a call into the standard library, which synchronises in there

	NumKinds
)

var kindNames = [NumKinds]string{
	None: "none", Start: "start", Resume: "resume", Read: "read", Write: "write",
	AtomicLoad: "atomic-load", AtomicStore: "atomic-store", AtomicRMW: "atomic-rmw",
	MapRead: "map-read", MapWrite: "map-write",
	Lock: "lock", TryLock: "trylock", Unlock: "unlock", RLock: "rlock", TryRLock: "tryrlock", RUnlock: "runlock",
	WLock: "wlock", TryWLock: "trywlock", WUnlock: "wunlock",
	Send: "send", Recv: "recv", Close: "close", Select: "select", SelectDefault: "select-default", ChanLen: "chan-len",
	WaitGroupAdd: "wg-add", WaitGroupWait: "wg-wait",
	CondWait: "cond-wait", CondSignal: "cond-signal", CondBroadcast: "cond-broadcast",
	OnceDo: "once", PoolOp: "pool", MapOp: "sync-map", Go: "go", Gosched: "gosched", Sleep: "sleep",
	TimerSet: "timer-set", TimerFire: "timer-fire", Coroutine: "coroutine", IOWait: "io-wait", Exit: "exit", Call: "call",
}

// String returns the stable name that schedules and JSON output use.
func (k Kind) String() string {
	if k < NumKinds {
		return kindNames[k]
	}
	return "unknown"
}

// KindByName is the inverse of Kind.String; ok is false for an unknown name.
func KindByName(name string) (k Kind, ok bool) {
	for k, n := range kindNames {
		if n == name {
			return Kind(k), true
		}
	}
	return None, false
}

// Site identifies a place in the program. An even Site is the entry 2·i of the
// instrumenter's site table; an odd Site is the entry of the worker's own table
// of call sites of runtime operations. The zero Site is unknown.
type Site uint32

// Op is one operation of a task: pending while the task is held before it,
// executed when the strategy has picked the task.
type Op struct {
	Kind   Kind
	Delta  int16 // what a WaitGroupAdd adds, if that is known and small
	Site   Site
	Object uintptr   // address of the memory, lock, channel, ...; 0 if there is none
	Size   uintptr   // bytes of memory at Object that a memory operation touches
	More   []uintptr // the channels of a select; valid only while the Op is pending
}

// IsMemory reports whether k is an access to plain or atomic memory.
func (k Kind) IsMemory() bool { return Read <= k && k <= MapWrite }

// IsAtomic reports whether k goes through sync/atomic.
func (k Kind) IsAtomic() bool { return AtomicLoad <= k && k <= AtomicRMW }

// Writes reports whether k counts as a write in the dependence relation.
func (k Kind) Writes() bool { return !reads[k] }

var reads = [256]bool{
	None: true, Start: true, Read: true, AtomicLoad: true, MapRead: true, ChanLen: true,
	RLock: true, TryRLock: true, RUnlock: true, WaitGroupWait: true, Gosched: true, Sleep: true,
}

// Dependent reports whether the pending operations of two different tasks are
// dependent: they touch the same object and at least one of them writes it. It is
// the one dependence relation of all strategies, of partial-order identity and of
// the exhaustive search.
func Dependent(a, b *Op) bool {
	if len(a.More)|len(b.More) != 0 {
		return dependentSelects(a, b)
	}
	return touch(a, b.Object, b.Size) && Conflict(a.Kind, b.Kind)
}

// Conflict reports whether operations of kinds a and b on one object do not commute.
func Conflict(a, b Kind) bool {
	return !(reads[a] && reads[b]) && !(a == WaitGroupAdd && b == WaitGroupAdd) // counters commute
}

// touch reports whether a operates on obj, or on the size bytes there.
func touch(a *Op, obj, size uintptr) bool {
	return a.Object == obj && obj != 0 || a.Object < obj+size && obj < a.Object+a.Size
}

// dependentSelects is Dependent where at least one operation has several channels.
func dependentSelects(a, b *Op) bool {
	if len(b.More) == 0 {
		a, b = b, a
	}
	for _, o := range b.More {
		if o == 0 {
			continue
		}
		if len(a.More) == 0 && a.Object == o {
			return Conflict(a.Kind, b.Kind)
		}
		for _, p := range a.More {
			if p == o {
				return true
			}
		}
	}
	return false
}
