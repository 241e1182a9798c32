package runtime

import (
	"internal/goarch"
	"internal/runtime/atomic"
	"internal/stringslite"
	"unsafe"
)

// Cooperative control. While a trial runs, exactly one controlled goroutine, a
// task, runs at any time: it holds the token, coopCur. A task that becomes
// runnable in any other way is held (coopHeld), not queued; package coop/conductor
// decides when it runs. The conductor's own goroutine, coopMain, runs whenever no
// task holds the token.
//
// A worker has one P. Everything below is touched by the token holder, by the
// conductor or on the P's system stack, hence without locks, except where the
// network poller and sysmon come in; those work without a P, so the lists hold
// guintptrs and need no write barriers.

//go:linkname coopInside
//go:linkname coopRandTrial
//go:linkname coopRests

// Values of g.coop. Other values are the conductor's task numbers plus one.
const (
	coopNew     = ^uint32(0)     // created, not yet seen by the conductor
	coopForeign = ^uint32(0) - 1 // existed before the first trial
)

var (
	coopOn         bool // the process is a worker; set once
	coopTracing    bool // a report will be made
	coopTrial      bool // a trial is running: clocks are virtual, random numbers seeded
	coopCur        guintptr
	coopHeld       gQueue
	coopMain       guintptr
	coopParkedMain bool   // coopMain waits for the token to come back
	coopExited     uint32 // g.coop of the task whose exit freed the token
	coopInside     bool   // the conductor's code runs on a task's stack; it sets this itself
	coopHook       func(kind uint8, obj, arg unsafe.Pointer, n int, fp unsafe.Pointer)

	coopClock synctestBubble // the virtual clock: only now and timers are used, no goroutine is in it
	coopWall  int64          // virtual wall clock minus coopClock.now

	coopRests uint32 // how often all goroutines of a bubble were blocked, and one of them was woken for it

	coopRandTrial uint64        // state of the trial's generator
	coopRandInit  atomic.Uint64 // state of the generator outside trials
)

// coopHold is asked by runqput: true means that gp is a task that must wait for the
// token.
//
//go:nowritebarrierrec
func coopHold(gp *g) bool {
	if !coopOn || gp == coopCur.ptr() {
		return false
	}
	if gp == coopRoot.ptr() { // coop_begin has asked for it
		return true
	}
	coopHeld.pushBack(gp)
	return true
}

// coopInherit decides, when callergp creates newg, whether newg is a task.
func coopInherit(newg, callergp *g) {
	clock := newg.bubble == &coopClock // time.AfterFunc, run by the virtual clock
	if clock {
		newg.bubble = nil
	}
	newg.coop = 0
	if !coopOn {
		newg.coop = coopNoisy
		return
	}
	if coopStarting && callergp == coopMain.ptr() {
		newg.coop = coopNew
		newg.gopc = coopStarterPC
		coopRoot.set(newg)
	}
	if clock || callergp.coop != 0 || coopTrial && callergp.bubble != nil {
		newg.coop = coopNew
	}
	if coopTracing && callergp != callergp.m.g0 {
		newg.coopGo = coopGoPC(callergp)
	}
}

// coopGoPC returns the call that made gp, which is in newproc on its system stack, start
// a goroutine: the go statement, or the call of a function of the standard library, such
// as WaitGroup.Go, that holds it.
func coopGoPC(gp *g) uintptr {
	fp := unsafe.Pointer(gp.sched.bp)
	for depth := 0; fp != nil && depth < 8; depth++ {
		pc := *(*uintptr)(add(fp, goarch.PtrSize))
		f := findfunc(pc)
		if !f.valid() {
			return 0
		}
		if name := funcname(f); !stringslite.HasPrefix(name, "runtime.") && !stringslite.HasPrefix(name, "sync.") {
			return pc
		}
		fp = *(*unsafe.Pointer)(fp)
	}
	return 0
}

// coop_trace makes the runtime note what only reports need.
//
//go:linkname coop_trace coop/conductor.setTracing
func coop_trace(on bool) { coopTracing = on }

// coopReleases lists the wait reasons of operations that a program can see. A task
// that parks for another reason, such as assisting the garbage collector, keeps the
// token and goes on when the runtime has served it.
var coopReleases = [len(waitReasonStrings)]bool{
	waitReasonZero:                  true,
	waitReasonIOWait:                true,
	waitReasonSemacquire:            true,
	waitReasonSleep:                 true,
	waitReasonChanReceiveNilChan:    true,
	waitReasonChanSendNilChan:       true,
	waitReasonSelectNoCases:         true,
	waitReasonSelect:                true,
	waitReasonChanReceive:           true,
	waitReasonChanSend:              true,
	waitReasonSyncCondWait:          true,
	waitReasonSyncMutexLock:         true,
	waitReasonSyncRWMutexRLock:      true,
	waitReasonSyncRWMutexLock:       true,
	waitReasonSyncWaitGroupWait:     true,
	waitReasonCoroutine:             true,
	waitReasonSynctestRun:           true,
	waitReasonSynctestWait:          true,
	waitReasonSynctestChanReceive:   true,
	waitReasonSynctestChanSend:      true,
	waitReasonSynctestSelect:        true,
	waitReasonSynctestWaitGroupWait: true,
}

// coopParked is called on the system stack when gp has parked for good.
func coopParked(gp *g) {
	if gp == coopCur.ptr() && coopReleases[gp.waitreason] {
		coopCur = 0
		coopWakeMain()
	}
}

// coopExit is called on the system stack when gp is about to die.
func coopExit(gp *g) {
	if gp == coopCur.ptr() {
		coopExited = gp.coop
		coopCur = 0
		coopWakeMain()
	}
}

func coopWakeMain() {
	if coopParkedMain {
		coopParkedMain = false
		ready(coopMain.ptr(), 0, true)
	}
}

// coopPoint is a scheduling point: obj is about to be operated on. arg and n are the
// cases of a select, or the delta of a WaitGroup.
func coopPoint(kind uint8, obj, arg unsafe.Pointer, n int) {
	if gp := getg(); gp == coopCur.ptr() && coopHook != nil && !coopLocal(gp, uintptr(obj)) {
		coopHook(kind, obj, arg, n, unsafe.Pointer(getfp()))
	} else if coopNoise != nil {
		coopMakeNoise(gp, kind)
	}
}

// coop_point is coopPoint for packages sync and time. For WaitGroup.Wait, n becomes 1 if
// the caller is in a bubble of testing/synctest.
//
//go:linkname coop_point
func coop_point(kind uint8, obj unsafe.Pointer, n int) {
	if gp := getg(); gp == coopCur.ptr() && coopHook != nil && !coopLocal(gp, uintptr(obj)) {
		if kind == coopKindWaitGroupWait && gp.bubble != nil {
			n = 1
		}
		coopHook(kind, obj, nil, n, unsafe.Pointer(getfp()))
	} else if coopNoise != nil {
		coopMakeNoise(gp, kind)
	}
}

// coopGosched stands in for Gosched of a task.
func coopGosched(callerpc uintptr) bool {
	gp := getg()
	if gp != coopCur.ptr() || coopHook == nil || coopRuntimePC(callerpc) {
		return false
	}
	coopHook(coopKindGosched, nil, nil, 0, unsafe.Pointer(getfp()))
	return true
}

// coopRuntimePC reports whether pc lies in package runtime, whose own calls of
// Gosched wait for the collector, not for tasks.
func coopRuntimePC(pc uintptr) bool {
	known := &coopProgramPCs[pc>>2%uintptr(len(coopProgramPCs))]
	if *known == pc {
		return false
	}
	f := findfunc(pc)
	if f.valid() && stringslite.HasPrefix(funcname(f), "runtime.") {
		return true
	}
	*known = pc
	return false
}

var coopProgramPCs [64]uintptr // a cache of pcs that lie elsewhere

// coop_enable makes the process a worker, with the calling goroutine as the
// conductor. All other goroutines of the program become foreign tasks.
//
//go:linkname coop_enable coop/conductor.enable
func coop_enable(hook func(kind uint8, obj, arg unsafe.Pointer, n int, fp unsafe.Pointer)) {
	self := getg()
	coopMain.set(self)
	coopHook = hook
	lockInit(&coopClock.mu, lockRankSynctest)
	lockInit(&coopClock.timers.mu, lockRankTimers)
	forEachG(func(gp *g) {
		if gp != self && !isSystemGoroutine(gp, false) && readgstatus(gp)&^_Gscan != _Gdead {
			gp.coop = coopForeign
		}
	})
	startingStackSize = coopStack
	coopOn = true
}

var coopBase uint32 // number of the trial's first task

// coopStack is the size, in bytes, of the stacks that tasks start with: large enough
// for package testing, because growing a stack costs more than many a trial.
const coopStack = 8 << 10

var (
	coopStarting bool     // the conductor starts the trial's root task
	coopRoot     guintptr // which is this
)

// coop_begin starts a trial whose root task is the goroutine that f starts and has the
// number base; it returns the root's g.
//
//go:linkname coop_begin coop/conductor.begin
func coop_begin(f func(), base uint32, seed uint64, now, wall int64) unsafe.Pointer {
	coopBase = base
	coopProcs = coopDefaultProcs
	coopReads = 0
	coopRandTrial = seed
	coopClock.now = now
	coopWall = wall
	coopTrial = true
	coopStarting = true
	f()
	coopStarting = false
	root := coopRoot.ptr()
	coopRoot = 0
	coopRootID = root.goid
	return unsafe.Pointer(root)
}

// coop_end ends the trial and forgets its timers.
//
//go:linkname coop_end coop/conductor.end
func coop_end() {
	systemstack(func() {
		ts := &coopClock.timers
		ts.lock()
		for _, tw := range ts.heap {
			t := tw.timer
			t.lock()
			if t.state&timerZombie != 0 {
				ts.zombies.Add(-1)
			}
			t.state &^= timerHeaped | timerZombie | timerModified
			t.ts = nil
			t.when = 0
			t.unlock()
		}
		clear(ts.heap)
		ts.heap = ts.heap[:0]
		ts.len.Store(0)
		ts.minWhenHeap.Store(0)
		ts.minWhenModified.Store(0)
		ts.unlock()
	})
	coopTrial = false
}

// coop_drain moves held goroutines to gs and their numbers to ids, in the order in
// which they became runnable, and returns how many.
//
//go:linkname coop_drain coop/conductor.drain
func coop_drain(gs []unsafe.Pointer, ids []uint32) int {
	n := 0
	for n < len(gs) && !coopHeld.empty() {
		gp := coopHeld.pop()
		gs[n] = unsafe.Pointer(gp)
		ids[n] = gp.coop
		n++
	}
	return n
}

// coop_heldGs returns where the head of the queue of held goroutines is, so that it costs
// no call to see that there are none.
//
//go:linkname coop_heldGs coop/conductor.heldGs
func coop_heldGs() *guintptr { return &coopHeld.head }

// coop_depth says how deep in the caller's stack a frame is, in bytes. Unlike its
// address, that does not change when the stack is moved.
//
//go:linkname coop_depth coop/conductor.stackDepth
func coop_depth(fp unsafe.Pointer) uintptr { return getg().stack.hi - uintptr(fp) }

// coop_self returns the calling goroutine.
//
//go:linkname coop_self coop/conductor.self
func coop_self() unsafe.Pointer { return unsafe.Pointer(getg()) }

// coop_holder returns the calling goroutine if it holds the token and addr does not lie
// in its stack, else nil.
//
//go:linkname coop_holder coop/conductor.holder
func coop_holder(addr uintptr) unsafe.Pointer {
	gp := getg()
	if gp != coopCur.ptr() || coopLocal(gp, addr) {
		return nil
	}
	return unsafe.Pointer(gp)
}

// coopLocal reports whether addr lies in gp's stack, where no other goroutine finds it:
// an operation on what is there is no scheduling point. It could not be one, either,
// because the stack may move before the operation is performed.
func coopLocal(gp *g, addr uintptr) bool { return gp.stack.lo <= addr && addr < gp.stack.hi }

// coop_yield gives the token back to the conductor and returns when the caller has
// been handed it again.
//
//go:linkname coop_yield coop/conductor.yield
func coop_yield() { gopark(nil, nil, waitReasonZero, traceBlockGeneric, 1) }

// coop_callers stores the call stack of a goroutine that is not running.
//
//go:linkname coop_callers coop/conductor.callers
func coop_callers(gp unsafe.Pointer, pcs []uintptr) (n int) {
	systemstack(func() { n = gcallers((*g)(gp), 0, pcs) })
	return n
}

// coop_number sets the number of a goroutine; 0 lets it go for good.
//
//go:linkname coop_number coop/conductor.setNumber
func coop_number(gp unsafe.Pointer, n uint32) { (*g)(gp).coop = n }

// coop_release lets a held goroutine run outside control.
//
//go:linkname coop_release coop/conductor.release
func coop_release(p unsafe.Pointer) {
	gp := (*g)(p)
	gp.coop = 0
	systemstack(func() { runqput(getg().m.p.ptr(), gp, false) })
}

// coop_info describes a goroutine: its go statement, its function, its id and why it
// waits ("" if it does not).
//
//go:linkname coop_info coop/conductor.info
func coop_info(p unsafe.Pointer) (gopc, startpc uintptr, id uint64, wait string) {
	gp := (*g)(p)
	if readgstatus(gp)&^_Gscan == _Gwaiting {
		wait = gp.waitreason.String()
	}
	gopc = gp.gopc
	if coopTracing && gp.coopGo != 0 {
		gopc = gp.coopGo
	}
	return gopc, gp.startpc, gp.goid, wait
}

// coop_heap returns the bytes of live and not yet swept objects.
//
//go:linkname coop_heap coop/conductor.heapBytes
func coop_heap() uint64 { return gcController.heapLive.Load() }

// coop_setmain makes the program's main function the argument of f: the program has no
// tests and one trial is one run of main.
//
//go:linkname coop_setmain coop/conductor.setMain
func coop_setmain(f func(main func())) { coopMainHook = f }

var coopMainHook func(main func())

func coopRunMain(main func()) {
	if coopMainHook != nil {
		coopMainHook(main)
		return
	}
	main()
}
