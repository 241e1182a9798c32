package conductor

import (
	"syscall"
	"time"
	"unsafe"
)

// childSlice is the real time after which the conductor looks again whether a child lives.
const childSlice = 50 * time.Millisecond

// awaitChild waits in real time until a task can go on, at most for d and as long as a child
// process is at work: what the child sends comes when it comes, and timers keep real time with it.
func (c *conductor) awaitChild(d time.Duration) bool {
	start := nanotime()
	for childLives() {
		left := d - time.Duration(nanotime()-start)
		if left <= 0 {
			return false
		}
		if c.await(min(left, childSlice)) {
			return true
		}
	}
	return false
}

// childLives reports whether a child process of the test is at work. One that has ended but has not
// been waited for hides the others.
func childLives() bool {
	if !forked {
		return false
	}
	const (
		all  = 0 // P_ALL
		look = syscall.WNOHANG | syscall.WEXITED | syscall.WNOWAIT
	)
	var info [16]uint64 // siginfo_t; its first word stays 0 if no child has ended
	// Without the runtime's hooks of system calls: this one is not the program's.
	_, _, errno := syscall.RawSyscall6(syscall.SYS_WAITID, all, 0, uintptr(unsafe.Pointer(&info)), look, 0, 0)
	return errno == 0 && info[0] == 0
}
