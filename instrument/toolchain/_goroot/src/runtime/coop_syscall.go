package runtime

import (
	"internal/runtime/atomic"
	"unsafe" // also for linkname
)

// System calls. A task keeps the token during a system call, so that short calls
// cost nothing and change no schedule. sysmon takes the token, and the P, from a task that
// waits in the kernel for long; the task is then held when it comes back.

const (
	coopSysOut  = 0 // not in a system call
	coopSysIn   = 1 // in a system call, holding the token
	coopSysLost = 2 // in a system call, token taken away

	// Nanoseconds. What another task does while one is in a system call depends on real
	// time, so calls that end, such as starting a process, should not come to that.
	coopSysPatience = 50e6
	// Calls that are at work, or wait for a disk, end without the help of other tasks.
	coopSysLimit = 2e9
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

// coopSysmon is called by sysmon, without a P. It reports whether the P is to be left to
// a task in a system call: who has lost the P has to wait for a thread that looks for
// something to run, on a busy machine for longer than the call took.
//
//go:nowritebarrierrec
func coopSysmon(now int64) (leave bool) {
	gp := coopCur.ptr()
	if !coopTrial || gp == nil || atomic.Load(&gp.coopSys) != coopSysIn {
		coopSysG = 0
		return false
	}
	if coopSysG.ptr() != gp || coopSysTick != gp.coopTick {
		coopSysG.set(gp)
		coopSysTick = gp.coopTick
		coopSysSince = now
		return true
	}
	away := now - coopSysSince
	if away < coopSysPatience || away < coopSysLimit && !coopSleeps(gp.m.procid) {
		return true
	}
	if !atomic.Cas(&gp.coopSys, coopSysIn, coopSysLost) {
		return false
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
	return false
}

// coopSleeps reports whether a thread waits in the kernel for an event, and neither runs,
// nor would if it had a processor, nor waits for a disk; true if that cannot be found out.
//
//go:nowritebarrierrec
func coopSleeps(thread uint64) bool {
	const before, after = "/proc/self/task/", "/stat\x00"
	var path [len(before) + 20 + len(after)]byte
	n := copy(path[:], before)
	var digits [20]byte
	d := len(digits)
	for ; thread > 0; thread /= 10 {
		d--
		digits[d] = byte('0' + thread%10)
	}
	n += copy(path[n:], digits[d:])
	copy(path[n:], after)
	fd := open(&path[0], 0, 0)
	if fd < 0 {
		return true
	}
	var text [64]byte
	m := read(fd, noescape(unsafe.Pointer(&text[0])), int32(len(text)))
	closefd(fd)
	// The state follows the name in parentheses, which has at most 15 bytes.
	for i := m - 3; i > 0; i-- {
		if text[i] == ')' {
			return text[i+2] == 'S'
		}
	}
	return true
}

// coop_away returns the number of tasks that have lost the token in a system call.
//
//go:linkname coop_away coop/conductor.inSyscall
func coop_away() int32 { return coopSysAway.Load() }
