package toolchain

// patches is the patch table. The functions that it calls are in _goroot. See control.md
// in the design notes for why each is where it is.
var patches = concat(schedulerPatches, stackPatches, clockPatches, randomPatches, operationPatches, testingPatches)

func concat(tables ...[]edit) (all []edit) {
	for _, t := range tables {
		all = append(all, t...)
	}
	return all
}

// schedulerPatches take the token from a task that parks or exits, hold a task that
// becomes runnable, and find out who is a task.
var schedulerPatches = []edit{
	field("task number", "runtime/runtime2.go", "g", "coop uint32; coopSys uint32; coopTick uint32; coopGo uintptr; coopTimer *timer"),

	prologue("hold", "runtime/proc.go", "runqput", "if gp.coop != 0 && coopHold(gp) { return }"),
	after("inherit", "runtime/proc.go", "newproc1", "newg.bubble = callergp.bubble", "coopInherit(newg, callergp)"),
	// Before a bubble of testing/synctest that becomes idle readies somebody, perhaps gp.
	after("park", "runtime/proc.go", "park_m", "if fn := mp.waitunlockf; fn != nil {...", "if gp.coop != 0 { coopParked(gp) }"),
	prologue("exit", "runtime/proc.go", "goexit0", "if gp.coop != 0 { coopExit(gp) }"),
	after("forget", "runtime/proc.go", "gdestroy", "gp.bubble = nil", "gp.coop = 0; gp.coopSys = 0; gp.coopGo = 0; gp.coopTimer = nil"),
	prologue("one processor", "runtime/proc.go", "wakep", "if coopOn && gomaxprocs == 1 { return }"), // which the caller has
	prologue("gosched", "runtime/proc.go", "Gosched", "if coopGosched(sys.GetCallerPC()) { return }"),

	prologue("stack size", "runtime/stack.go", "gcComputeStartingStackSize", "if coopOn { return }"),

	// A worker has one P, whatever the program asks for; the program sees the same machine
	// everywhere.
	prologue("gomaxprocs", "runtime/debug.go", "GOMAXPROCS", "if coopSeeded && !coopNative { return coopSetProcs(n) }"),
	prologue("default gomaxprocs", "runtime/debug.go", "SetDefaultGOMAXPROCS", "if coopSeeded && !coopNative { return }"),
	prologue("number of processors", "runtime/debug.go", "NumCPU", "if coopSeeded && !coopNative { return coopProcs }"),
	replace("goroot", "runtime/extern.go", "GOROOT", "defaultGOROOT", "coopGOROOT()"),

	// A coroutine (iter.Pull) runs as the task that calls it.
	prologue("coroutine caller", "runtime/coro.go", "coroswitch_m", "coopFrom := gp.coop"),
	before("coroutine", "runtime/coro.go", "coroswitch_m", "setGNoWB(&mp.curg, gnext)", "if coopFrom != 0 { gnext.coop = coopFrom; coopCur.set(gnext) }; "),

	replace("network reader", "runtime/netpoll.go", "netpollready", "rg != nil", "rg != nil && !coopReadyIO(rg)"),
	replace("network writer", "runtime/netpoll.go", "netpollready", "wg != nil", "wg != nil && !coopReadyIO(wg)"),

	// What a poller finds before a task waits for it keeps the task from waiting.
	prologue("only the conductor polls", "runtime/netpoll_epoll.go", "netpoll", "if coopTrial && delay == 0 && !coopAsks { return gList{}, 0 }"),

	prologue("sysmon", "runtime/proc.go", "retake", "if coopSysmon(now) { return 0 }"),
	// What sysmon has found ready but not yet delivered, the conductor would miss.
	replace("sysmon leaves the network alone", "runtime/proc.go", "sysmon", "lastpoll != 0", "lastpoll != 0 && !coopTrial"),
	replace("sysmon stays awake", "runtime/proc.go", "sysmon", "debug.schedtrace <= 0", "debug.schedtrace <= 0 && !coopTrial"),
	prologue("fork", "runtime/proc.go", "syscall_runtime_BeforeFork", "coopForked = true"),
	before("note enter", "runtime/lock_futex.go", "notetsleepg", "entersyscallblock()", "coopSyscallEnter(); "),
	after("note exit", "runtime/lock_futex.go", "notetsleepg", "exitsyscall()", "coopSyscallExit()"),
	before("cgo enter", "runtime/cgocall.go", "cgocall", "entersyscall()", "coopSyscallEnter(); "),
	after("cgo exit", "runtime/cgocall.go", "cgocall", "exitsyscall()", "coopSyscallExit()"),
	before("syscall enter", "syscall/syscall_linux.go", "Syscall", "runtime_entersyscall()", "coopSyscallEnter(); "),
	after("syscall exit", "syscall/syscall_linux.go", "Syscall", "runtime_exitsyscall()", "coopSyscallExit()"),
	before("syscall6 enter", "syscall/syscall_linux.go", "Syscall6", "runtime_entersyscall()", "coopSyscallEnter(); "),
	after("syscall6 exit", "syscall/syscall_linux.go", "Syscall6", "runtime_exitsyscall()", "coopSyscallExit()"),
}

// stackPatches show a program the stacks and goroutines that it sees under go test.
var stackPatches = []edit{
	replace("stacks of others", "runtime/traceback.go", "tracebacksomeothers", "isSystemGoroutine(gp, false)", "(isSystemGoroutine(gp, false) || coopHidden(gp))"),
	replace("hidden callers", "runtime/traceback.go", "tracebackPCs", wrapperCalled+"(u.calleeFuncID)", "("+wrapperCalled+"(u.calleeFuncID) || coopOwn(sf))"),
	beforeLast("callers of the root task", "runtime/traceback.go", "tracebackPCs", "n = coopBelow(u, skip, pcBuf, n)").expecting("return n"),
	replace("hidden frames", "runtime/traceback.go", "showfuncinfo", wrapperCalled+"(calleeID)", "("+wrapperCalled+"(calleeID) || coopOwn(sf))"),
	prologue("stack of the main goroutine", "runtime/traceback.go", "traceback1", "if coopPrintMain(gp) { return }"),
	before("frames below the root task", "runtime/traceback.go", "traceback1", "printcreatedby(gp)", "coopPrintBelow(gp); "),
	before("status of a held task", "runtime/traceback.go", "goroutineheader", "var waitfor int64", "status = coopStatus(gp, status); "),
	prologue("number of goroutines", "runtime/debug.go", "NumGoroutine", "if coopTrial { return coopNumGoroutine() }"),
}

// wrapperCalled begins the condition by which the runtime leaves out the compiler's wrappers.
const wrapperCalled = "sf.funcID == abi.FuncIDWrapper && elideWrapperCalling"

// clockPatches give tasks a virtual clock. It is a bubble of testing/synctest in which
// no goroutine is; a timer that belongs to it is marked.
var clockPatches = []edit{
	field("virtual timer", "runtime/time.go", "timer", "coop bool"),
	prologue("now", "runtime/time.go", "time_runtimeNow", "if s, n, m, ok := coopNow(); ok { return s, n, m }"),
	prologue("nano", "runtime/time.go", "time_runtimeNano", "if coopClocked(getg()) { return coopNano() }"),
	prologue("sleep", "runtime/time.go", "timeSleep", "if coopSleep(ns) { return }"),
	before("new timer", "runtime/time.go", "newTimer", "t.modify(when, period, f, arg, 0)", "t.coopAdopt(); "),
	prologue("reset timer", "runtime/time.go", "resetTimer", "t.coopAdopt()"),
	replace("stop timer from anywhere", "runtime/time.go", "stopTimer", "t.isFake", "t.isFake && !t.coop"),
	replace("reset timer from anywhere", "runtime/time.go", "resetTimer", "t.isFake", "t.isFake && !t.coop"),
	replace("modify", "runtime/time.go", "(*timer).modify", "getg().bubble", "t.coopBubble()"),
	replace("add", "runtime/time.go", "(*timer).maybeAdd", "getg().bubble", "t.coopBubble()"),
	replace("order of timers", "runtime/time.go", "(*timer).maybeAdd", "cheaprand()", "coopTimerRand(t)"),
	replace("order of equal timers", "runtime/time.go", "timerWhen.less", "tw.timer.rand < other.timer.rand", "coopTimerLess(tw.timer, other.timer)"),
	replace("run channel timer from anywhere", "runtime/time.go", "(*timer).maybeRunChan", "getg().bubble != c.bubble", "!t.coop && getg().bubble != c.bubble"),
	replace("run channel timer at", "runtime/time.go", "(*timer).maybeRunChan", "getg().bubble.now", "t.coopBubble().now"),
	replace("run channel timer in", "runtime/time.go", "(*timer).maybeRunChan", "t.unlockAndRun(now, c.bubble)", "bubble := c.bubble; if t.coop { bubble = &coopClock }; t.unlockAndRun(now, bubble)"),
	replace("block on timer from anywhere", "runtime/time.go", "blockTimerChan", "c.bubble != getg().bubble", "!t.coop && c.bubble != getg().bubble"),
	prologue("bubble of the clock", "runtime/synctest.go", "(*synctestBubble).changegstatus", "if bubble == &coopClock { return }"),
	before("bubble at rest", "runtime/synctest.go", "(*synctestBubble).maybeWakeLocked", "bubble.active++", "coopRests++; "),
	prologue("network deadline", "runtime/netpoll.go", "poll_runtime_pollSetDeadline", "pd.rt.coopAdopt(); pd.wt.coopAdopt()"),
	replace("network deadline from", "runtime/netpoll.go", "poll_runtime_pollSetDeadline", "nanotime()", "coopNanotime()"),
	replace("starvation of a mutex", "runtime/sema.go", "internal_sync_nanotime", "nanotime()", "coopNanotime()"),
}

// randomPatches make everything that is random in the runtime repeat, addresses too:
// the order of a map of pointers depends on them.
var randomPatches = []edit{
	replace("heap base", "runtime/malloc.go", "", "goexperiment.RandomizedHeapBase64", "false && goexperiment.RandomizedHeapBase64").since("go1.26"),
	before("startup", "runtime/rand.go", "randinit", "globalRand.state.Init(*seed)", "clear(seed[:]); "),
	prologue("rand", "runtime/rand.go", "rand", "if coopSeeded { return coopRand() }"),
	replace("math/rand", "math/rand/rand.go", "(*runtimeSource).Int63", "runtime_rand()", "coopRand()"),
	replace("math/rand", "math/rand/rand.go", "(*runtimeSource).Uint64", "runtime_rand()", "coopRand()"),
	replace("order of a map", "internal/runtime/maps/table.go", "(*Iter).Init", "rand()", "iterRand(m.used)").times(2),
	replace("select", "runtime/select.go", "selectgo", "cheaprandn(uint32(norder + 1))", "coopSelectRandn(i, norder)"),
}

// operationPatches announce visible operations.
var operationPatches = []edit{
	prologue("send", "runtime/chan.go", "chansend", "if getg().coop != 0 { coopPoint(coopKindSend, unsafe.Pointer(c), nil, coopBlocking(block)) }"),
	prologue("receive", "runtime/chan.go", "chanrecv", "if getg().coop != 0 { coopPoint(coopKindRecv, unsafe.Pointer(c), nil, coopBlocking(block)) }"),
	prologue("close", "runtime/chan.go", "closechan", "if getg().coop != 0 { coopPoint(coopKindClose, unsafe.Pointer(c), nil, 0) }"),
	prologue("select", "runtime/select.go", "selectgo", "if getg().coop != 0 { coopSelect(cas0, nsends, nrecvs, block) }"),

	prologue("lock", "sync/mutex.go", "(*Mutex).Lock", "coopMutex(coopKindLock, m)"),
	prologue("try lock", "sync/mutex.go", "(*Mutex).TryLock", "coopMutex(coopKindTryLock, m)"),
	prologue("unlock", "sync/mutex.go", "(*Mutex).Unlock", "coopMutex(coopKindUnlock, m)"),
	prologue("read lock", "sync/rwmutex.go", "(*RWMutex).RLock", "coopRWMutex(coopKindRLock, rw)"),
	prologue("try read lock", "sync/rwmutex.go", "(*RWMutex).TryRLock", "coopRWMutex(coopKindTryRLock, rw)"),
	prologue("read unlock", "sync/rwmutex.go", "(*RWMutex).RUnlock", "coopRWMutex(coopKindRUnlock, rw)"),
	prologue("write lock", "sync/rwmutex.go", "(*RWMutex).Lock", "coopRWMutex(coopKindWLock, rw)"),
	prologue("try write lock", "sync/rwmutex.go", "(*RWMutex).TryLock", "coopRWMutex(coopKindTryWLock, rw)"),
	prologue("write unlock", "sync/rwmutex.go", "(*RWMutex).Unlock", "coopRWMutex(coopKindWUnlock, rw)"),
	// The mutex inside is no operation of the program.
	replace("inner lock", "sync/rwmutex.go", "(*RWMutex).Lock", "rw.w.Lock()", "rw.w.mu.Lock()"),
	replace("inner try lock", "sync/rwmutex.go", "(*RWMutex).TryLock", "rw.w.TryLock()", "rw.w.mu.TryLock()"),
	replace("inner unlock of try", "sync/rwmutex.go", "(*RWMutex).TryLock", "rw.w.Unlock()", "rw.w.mu.Unlock()"),
	replace("inner unlock", "sync/rwmutex.go", "(*RWMutex).Unlock", "rw.w.Unlock()", "rw.w.mu.Unlock()"),

	prologue("wait group add", "sync/waitgroup.go", "(*WaitGroup).Add", "coopAdd(wg, delta)"),
	prologue("wait group wait", "sync/waitgroup.go", "(*WaitGroup).Wait", "coopWait(wg)"),
	prologue("cond wait", "sync/cond.go", "(*Cond).Wait", "coopCond(coopKindCondWait, c)"),
	prologue("cond signal", "sync/cond.go", "(*Cond).Signal", "coopCond(coopKindCondSignal, c)"),
	prologue("cond broadcast", "sync/cond.go", "(*Cond).Broadcast", "coopCond(coopKindCondBroadcast, c)"),
	prologue("once", "sync/once.go", "(*Once).Do", "coopOnce(o)"),
	prologue("pool get", "sync/pool.go", "(*Pool).Get", "coopPool(p)"),
	prologue("pool put", "sync/pool.go", "(*Pool).Put", "coopPool(p)"),

	prologue("map load", mapFile25, "(*Map).Load", "coopMap(m)").until("go1.26"),
	prologue("map store", mapFile25, "(*Map).Store", "coopMap(m)").until("go1.26"),
	prologue("map clear", mapFile25, "(*Map).Clear", "coopMap(m)").until("go1.26"),
	prologue("map load or store", mapFile25, "(*Map).LoadOrStore", "coopMap(m)").until("go1.26"),
	prologue("map load and delete", mapFile25, "(*Map).LoadAndDelete", "coopMap(m)").until("go1.26"),
	prologue("map delete", mapFile25, "(*Map).Delete", "coopMap(m)").until("go1.26"),
	prologue("map swap", mapFile25, "(*Map).Swap", "coopMap(m)").until("go1.26"),
	prologue("map compare and swap", mapFile25, "(*Map).CompareAndSwap", "coopMap(m)").until("go1.26"),
	prologue("map compare and delete", mapFile25, "(*Map).CompareAndDelete", "coopMap(m)").until("go1.26"),
	prologue("map range", mapFile25, "(*Map).Range", "coopMap(m)").until("go1.26"),

	prologue("sync.Map load", mapFile, "(*Map).Load", "coopMap(m)").since("go1.26"),
	prologue("sync.Map store", mapFile, "(*Map).Store", "coopMap(m)").since("go1.26"),
	prologue("sync.Map clear", mapFile, "(*Map).Clear", "coopMap(m)").since("go1.26"),
	prologue("sync.Map load or store", mapFile, "(*Map).LoadOrStore", "coopMap(m)").since("go1.26"),
	prologue("sync.Map load and delete", mapFile, "(*Map).LoadAndDelete", "coopMap(m)").since("go1.26"),
	prologue("sync.Map delete", mapFile, "(*Map).Delete", "coopMap(m)").since("go1.26"),
	prologue("sync.Map swap", mapFile, "(*Map).Swap", "coopMap(m)").since("go1.26"),
	prologue("sync.Map compare and swap", mapFile, "(*Map).CompareAndSwap", "coopMap(m)").since("go1.26"),
	prologue("sync.Map compare and delete", mapFile, "(*Map).CompareAndDelete", "coopMap(m)").since("go1.26"),
	prologue("sync.Map range", mapFile, "(*Map).Range", "coopMap(m)").since("go1.26"),
}

// sync.Map lives in a file of its own before go1.26.
const (
	mapFile25 = "sync/hashtriemap.go"
	mapFile   = "sync/map.go"
)

// testingPatches make the test binary a worker when its parent asks for that.
var testingPatches = []edit{
	before("worker", "testing/testing.go", "(*M).Run", "parseCpuList()", "if coopWorker(m) { return }; "),
	replace("name of the runner", "testing/testing.go", "tRunner", "callerName(0)", `"testing.tRunner"`), // the same, without a stack walk
	prologue("report", "testing/testing.go", "(*T).report", "if coopQuiet && !t.Failed() { return }"),
	prologue("failure", "testing/testing.go", "(*common).Fail", "coopFail(c)"),
	prologue("allocations", "testing/allocs.go", "AllocsPerRun", "if coopQuiet { for range runs + 1 { f() }; return 0 }"), // probes and the conductor allocate, too
	replace("main of a program", "runtime/proc.go", "main", "fn()", "coopRunMain(fn)"),
}
