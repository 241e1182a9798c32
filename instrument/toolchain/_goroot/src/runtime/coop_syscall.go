package runtime

import (
	"internal/runtime/atomic"
	_ "unsafe" // for linkname
)

// System calls. A task keeps the token during a system call, so that short calls
// cost nothing and change no schedule. sysmon takes the token from a task that stays
// away for long, as it takes its P; the task is then held when it comes back.

const (
	coopSysOut  = 0 // not in a system call
	coopSysIn   = 1 // in a system call, holding the token
	coopSysLost = 2 // in a system call, token taken away

	// Nanoseconds. What another task does while one is in a system call depends on real
	// time, so calls that end, such as starting a process, should not come to that.
	coopSysPatience = 50e6
)

//go:linkname coopCalls

// coopCalls counts the system calls of tasks, by which others may become ready.
var coopCalls uint32

var (
	coopSysG     guintptr // whom sysmon last saw in a system call,
	coopSysTick  uint32   // in which one,
	coopSysSince int64    // and since when
	coopSysAway  atomic.Int32
)

//go:linkname coopForked

// coopForked says that a child process has been started, whose output comes in real time.
var coopForked bool

// coopSyscallEnter announces a system call that may block.
//
//go:linkname coopSyscallEnter
//go:nosplit
func coopSyscallEnter() {
	if gp := getg(); gp == coopCur.ptr() {
		gp.coopTick++
		coopCalls++
		atomic.Store(&gp.coopSys, coopSysIn)
	}
}

// coopSyscallExit returns when the caller may go on.
//
//go:linkname coopSyscallExit
//go:nosplit
func coopSyscallExit() {
	if gp := getg(); gp.coopSys != coopSysOut {
		coopSyscallBack(gp)
	}
}

//go:noinline
func coopSyscallBack(gp *g) {
	if atomic.Cas(&gp.coopSys, coopSysIn, coopSysOut) {
		return
	}
	gp.coopSys = coopSysOut
	coopSysAway.Add(-1)
	mcall(coopRejoin_m)
}

// coopRejoin_m holds a task that has lost the token in a system call.
func coopRejoin_m(gp *g) {
	casgstatus(gp, _Grunning, _Grunnable)
	dropg()
	coopHeld.pushBack(gp)
	schedule()
}

// coopSysmon is called by sysmon, without a P.
//
//go:nowritebarrierrec
func coopSysmon(now int64) {
	gp := coopCur.ptr()
	if !coopTrial || gp == nil || atomic.Load(&gp.coopSys) != coopSysIn {
		coopSysG = 0
		return
	}
	if coopSysG.ptr() != gp || coopSysTick != gp.coopTick {
		coopSysG.set(gp)
		coopSysTick = gp.coopTick
		coopSysSince = now
		return
	}
	if now-coopSysSince < coopSysPatience || !atomic.Cas(&gp.coopSys, coopSysIn, coopSysLost) {
		return
	}
	coopSysAway.Add(1)
	coopCur = 0
	coopExited = 0
	if coopParkedMain {
		coopParkedMain = false
		main := coopMain.ptr()
		var list gList
		list.push(main)
		injectglist(&list)
	}
}

// coop_away returns the number of tasks that have lost the token in a system call.
//
//go:linkname coop_away coop/conductor.inSyscall
func coop_away() int32 { return coopSysAway.Load() }
