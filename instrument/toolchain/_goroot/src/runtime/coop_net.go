package runtime

import (
	"internal/runtime/atomic"
	"unsafe"
)

// The network poller finds goroutines ready at any time and perhaps without a P. Tasks
// among them wait on a stack until the conductor asks for them, which it does at moments
// that the schedule determines.
var coopIO atomic.Uintptr // of *g, linked by schedlink

// coopTakeIO makes the tasks that the network poller has found ready runnable, in the
// order of their numbers: the system's order is not always the same.
func coopTakeIO() {
	var sorted guintptr
	list := guintptr(coopIO.Swap(0))
	for list != 0 {
		gp := list.ptr()
		list = gp.schedlink
		at := &sorted
		for *at != 0 && at.ptr().coop < gp.coop {
			at = &at.ptr().schedlink
		}
		gp.schedlink = *at
		at.set(gp)
	}
	for sorted != 0 {
		gp := sorted.ptr()
		sorted = gp.schedlink
		gp.schedlink = 0
		casgstatus(gp, _Gwaiting, _Grunnable)
		coopHeld.pushBack(gp)
	}
}

// coopReadyIO is called by the network poller, perhaps without a P: true means that
// gp is a task and will be taken by coopTakeIO.
//
//go:nowritebarrierrec
func coopReadyIO(gp *g) bool {
	if !coopOn || gp.coop == 0 {
		return false
	}
	for {
		old := coopIO.Load()
		gp.schedlink = guintptr(old)
		if coopIO.CompareAndSwap(old, uintptr(unsafe.Pointer(gp))) {
			return true
		}
	}
}

var coopAsks bool // the conductor asks the network poller

// coop_poll asks the network poller, without waiting, and holds the tasks that are ready.
// It reports whether a held goroutine is there.
//
//go:linkname coop_poll coop/conductor.pollNet
func coop_poll() bool {
	systemstack(func() {
		if netpollinited() {
			// A thread without a P may be waiting in the poller: it has, or gets, events
			// that would be missed here.
			for broken := false; sched.lastpoll.Load() == 0; osyield() {
				if !broken {
					netpollBreak()
					broken = true
				}
			}
			coopAsks = true
			list, delta := netpoll(0)
			coopAsks = false
			injectglist(&list)
			netpollAdjustWaiters(delta)
		}
		coopTakeIO()
	})
	return !coopHeld.empty()
}

// coop_waiters returns the number of goroutines in the network poller, plus one if it has
// found tasks ready that have not been asked for.
//
//go:linkname coop_waiters coop/conductor.netWaiters
func coop_waiters() uint32 {
	n := netpollWaiters.Load()
	if coopIO.Load() != 0 {
		n++
	}
	return n
}
