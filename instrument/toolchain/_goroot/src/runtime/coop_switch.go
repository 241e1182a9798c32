package runtime

import "unsafe"

// Switching from one task to another.

// coopSlow says that a direct switch would starve or deceive somebody: the collector, a
// preemption request, a goroutine that is bound to its thread, the tracer, a profiler.
//
//go:nosplit
func coopSlow(gp, next *g) bool {
	return gp.preempt || gcBlackenEnabled != 0 || sched.gcwaiting.Load() || traceEnabled() ||
		gp.bubble != nil || next.bubble != nil || gp.lockedm != 0 || next.lockedm != 0 ||
		gp.m.profilehz != 0 || goroutineProfile.active
}

// coopHandOver hands the token and the thread from gp, the caller, to next without the
// scheduler, like coroswitch_m for goroutines that are not coroutines. Once gp's status has
// changed, nothing may look at its stack: no call but coopJump.
//
//go:nosplit
func coopHandOver(gp, next *g) {
	if coopSlow(gp, next) || !gp.atomicstatus.CompareAndSwap(_Grunning, _Gwaiting) {
		gopark(coopCommit, unsafe.Pointer(next), waitReasonZero, traceBlockGeneric, 2)
		return
	}
	if !next.atomicstatus.CompareAndSwap(_Gwaiting, _Grunning) && !next.atomicstatus.CompareAndSwap(_Grunnable, _Grunning) {
		gp.atomicstatus.Store(_Grunning)
		gopark(coopCommit, unsafe.Pointer(next), waitReasonZero, traceBlockGeneric, 2)
		return
	}
	mp := gp.m
	gp.waitreason = waitReasonZero
	coopCur.set(next)
	setGNoWB(&mp.curg, next)
	setMNoWB(&next.m, mp)
	next.syncSafePoint = false
	next.waitsince = 0
	next.preempt = false
	next.stackguard0 = next.stack.lo + stackGuard
	coopJump(gp, next)
}

// coopCommit runs on the system stack after the caller has parked.
func coopCommit(_ *g, arg unsafe.Pointer) bool {
	next := (*g)(arg)
	coopCur.set(next)
	if readgstatus(next)&^_Gscan == _Gwaiting {
		ready(next, 0, true)
	} else {
		runqput(getg().m.p.ptr(), next, true)
	}
	return true
}

// coop_switch hands the token from the calling task to another held task and returns
// when the caller has been handed it again.
//
//go:linkname coop_switch coop/conductor.switchTo
func coop_switch(next unsafe.Pointer) {
	coopHandOver(getg(), (*g)(next))
}

// coop_run hands the token from the conductor to a held task and returns when the
// token is free. It returns the number of the task if that has exited, else 0.
//
//go:linkname coop_run coop/conductor.run
func coop_run(next unsafe.Pointer) uint32 {
	coopExited = 0
	coopParkedMain = true
	coopHandOver(getg(), (*g)(next))
	return coopExited
}
