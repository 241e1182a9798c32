package sync

import "unsafe"

// Kinds of operations, as in package coop/sched.
const (
	coopKindLock          = 10
	coopKindTryLock       = 11
	coopKindUnlock        = 12
	coopKindRLock         = 13
	coopKindTryRLock      = 14
	coopKindRUnlock       = 15
	coopKindWLock         = 16
	coopKindTryWLock      = 17
	coopKindWUnlock       = 18
	coopKindWaitGroupAdd  = 25
	coopKindWaitGroupWait = 26
	coopKindCondWait      = 27
	coopKindCondSignal    = 28
	coopKindCondBroadcast = 29
	coopKindOnceDo        = 30
	coopKindPoolOp        = 31
	coopKindMapOp         = 32
)

//go:linkname coopPoint runtime.coop_point
func coopPoint(kind uint8, obj unsafe.Pointer, n int)

func coopMutex(kind uint8, m *Mutex)      { coopPoint(kind, unsafe.Pointer(m), 0) }
func coopRWMutex(kind uint8, rw *RWMutex) { coopPoint(kind, unsafe.Pointer(rw), 0) }
func coopAdd(wg *WaitGroup, delta int)    { coopPoint(coopKindWaitGroupAdd, unsafe.Pointer(wg), delta) }
func coopWait(wg *WaitGroup)              { coopPoint(coopKindWaitGroupWait, unsafe.Pointer(wg), 0) }
func coopCond(kind uint8, c *Cond)        { coopPoint(kind, unsafe.Pointer(c), 0) }

// coopOnce names the lock inside, whose operations are those of the first caller.
func coopOnce(o *Once) { coopPoint(coopKindOnceDo, unsafe.Pointer(&o.m), 0) }
func coopPool(p *Pool) { coopPoint(coopKindPoolOp, unsafe.Pointer(p), 0) }
func coopMap(m *Map)   { coopPoint(coopKindMapOp, unsafe.Pointer(m), 0) }

// coopEnabled reports whether an operation would complete without waiting.
//
//go:linkname coopEnabled coop/conductor.syncEnabled
func coopEnabled(kind uint8, addr uintptr) bool {
	obj := *(*unsafe.Pointer)(unsafe.Pointer(&addr))
	switch kind {
	case coopKindLock:
		return !(*Mutex)(obj).mu.CoopLocked()
	case coopKindRLock:
		return (*RWMutex)(obj).readerCount.Load() >= 0
	case coopKindWLock:
		return !(*RWMutex)(obj).w.mu.CoopLocked()
	case coopKindWaitGroupWait:
		return int32((*WaitGroup)(obj).state.Load()>>32) == 0
	}
	return true
}

// coopClearPools empties all pools, so that what a trial finds there is its own.
//
//go:linkname coopClearPools coop/conductor.clearPools
func coopClearPools() {
	runtime_procPin()
	poolCleanup()
	poolCleanup()
	runtime_procUnpin()
}
