package runtime

import (
	"internal/abi"
	"internal/stringslite"
	_ "unsafe" // for linkname
)

// What a program sees of stacks and goroutines is what it sees under go test: functions of
// ours are left out, as the compiler's wrappers are, and where the conductor stands in for
// somebody, that one is shown. In a crash everything is shown.

var (
	coopCallersPCs []uintptr // what is below the function of the trial's root task, instead of runtime.goexit; nil: nothing
	coopMainPCs    []uintptr // the stack that the main goroutine seems to have; nil: it is not shown
	coopStarterPC  uintptr   // the call that seems to have started the root task
	coopRootID     uint64    // goid of the trial's root task

	// coopWaits returns the kind of the operation that the task with a number waits for at
	// a scheduling point, 0 if it can go on there.
	coopWaits func(number uint32) uint8
)

// coop_stacks_as sets what the next trial's program sees. starter is the function that seems
// to have started the root task; 0: it seems to be the main goroutine.
//
//go:linkname coop_stacks_as coop/conductor.setStacks
func coop_stacks_as(callers, main []uintptr, starter uintptr) {
	coopCallersPCs, coopMainPCs, coopStarterPC = callers, main, starter
}

// coop_waits sets coopWaits.
//
//go:linkname coop_waits coop/conductor.setWaits
func coop_waits(f func(number uint32) uint8) { coopWaits = f }

// coopOwn reports whether sf is a function of ours that the program must not see.
func coopOwn(sf srcFunc) bool {
	if panicking.Load() != 0 {
		return false
	}
	name := sf.name()
	return stringslite.HasPrefix(name, "coop/") || stringslite.HasPrefix(name, "runtime.coop") ||
		stringslite.HasPrefix(name, "sync.coop") || stringslite.HasPrefix(name, "testing.coop") || stringslite.HasPrefix(name, "syscall.coop")
}

// coopBelow completes what tracebackPCs has stored, n return addresses, when skip frames
// were still to be skipped.
func coopBelow(u *unwinder, skip int, pcs []uintptr, n int) int {
	gp := u.g.ptr()
	if coopCallersPCs == nil || !coopTrial || u.valid() || gp == nil || gp.goid != coopRootID {
		return n
	}
	if n > 0 { // runtime.goexit was the last
		n--
	} else {
		skip++
	}
	for _, pc := range coopCallersPCs {
		if skip > 0 {
			skip--
		} else if n < len(pcs) {
			pcs[n] = pc
			n++
		}
	}
	return n
}

// coopPrintBelow prints the frames below those of gp's own functions.
func coopPrintBelow(gp *g) {
	if coopTrial && panicking.Load() == 0 && gp.goid == coopRootID {
		coopPrintFrames(coopCallersPCs)
	}
}

// coopPrintMain prints the main goroutine's stack, if gp is it.
func coopPrintMain(gp *g) bool {
	if !coopTrial || panicking.Load() != 0 || coopMainPCs == nil || gp != coopMain.ptr() {
		return false
	}
	coopPrintFrames(coopMainPCs)
	return true
}

// coopPrintFrames prints what tracebacks show of frames.
func coopPrintFrames(pcs []uintptr) {
	for _, pc := range pcs {
		f := findfunc(pc)
		if !f.valid() {
			continue
		}
		iu, uf := newInlineUnwinder(f, pc-1)
		sf := iu.srcFunc(uf)
		if !showfuncinfo(sf, false, abi.FuncIDNormal) {
			continue
		}
		file, line := iu.fileLine(uf)
		printFuncName(sf.name())
		print("(...)\n\t", file, ":", line, " +", hex(pc-f.entry()), "\n")
	}
}

// coopStatus is the status of gp that its traceback begins with.
func coopStatus(gp *g, status string) string {
	if !coopTrial || panicking.Load() != 0 || readgstatus(gp)&^_Gscan != _Gwaiting || gp.waitreason != waitReasonZero {
		return status
	}
	if gp == coopMain.ptr() {
		return waitReasonChanReceive.String()
	}
	if gp.coop == 0 || gp.coop < coopBase || coopWaits == nil {
		return status
	}
	switch coopWaits(gp.coop) {
	case coopKindLock:
		return waitReasonSyncMutexLock.String()
	case coopKindRLock:
		return waitReasonSyncRWMutexRLock.String()
	case coopKindWLock:
		return waitReasonSyncRWMutexLock.String()
	case coopKindWaitGroupWait:
		return waitReasonSyncWaitGroupWait.String()
	}
	return gStatusStrings[_Grunnable]
}

// coopHidden says that gp is not one of the program's goroutines as the program should
// see them: the conductor, if the root task seems to be the main goroutine, or one that an
// earlier trial has left behind, which a program that looks for leaks would take for its own.
func coopHidden(gp *g) bool {
	return coopOn && (gp == coopMain.ptr() && coopMainPCs == nil || gp.coop != 0 && gp.coop < coopBase)
}

// coopNumGoroutine returns the number of goroutines that are not hidden.
func coopNumGoroutine() (n int) {
	forEachGRace(func(gp *g) {
		if s := readgstatus(gp) &^ _Gscan; s != _Gidle && s != _Gdead && !isSystemGoroutine(gp, false) && !coopHidden(gp) {
			n++
		}
	})
	return n
}
