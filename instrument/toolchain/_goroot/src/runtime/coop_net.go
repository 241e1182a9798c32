package runtime

import (
	"internal/runtime/atomic"
	"unsafe"
)

// The network poller finds goroutines ready at any time and perhaps without a P. Tasks
// among them wait on a stack until the conductor looks.
var coopIO atomic.Uintptr // of *g, linked by schedlink

// coopTakeIO makes the goroutines that the network poller has found ready runnable,
// oldest first.
func coopTakeIO() {
	var list, rev guintptr
	list = guintptr(coopIO.Swap(0))
	for list != 0 {
		gp := list.ptr()
		list = gp.schedlink
		gp.schedlink = rev
		rev.set(gp)
	}
	for rev != 0 {
		gp := rev.ptr()
		rev = gp.schedlink
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

// coop_poll asks the network poller, without waiting. It reports whether a held
// goroutine is there.
//
//go:linkname coop_poll coop/conductor.pollNet
func coop_poll() bool {
	systemstack(func() {
		if netpollinited() {
			list, delta := netpoll(0)
			injectglist(&list)
			netpollAdjustWaiters(delta)
		}
	})
	return coopIO.Load() != 0 || !coopHeld.empty()
}

// coop_waiters returns the number of goroutines in the network poller.
//
//go:linkname coop_waiters coop/conductor.netWaiters
func coop_waiters() uint32 { return netpollWaiters.Load() }
