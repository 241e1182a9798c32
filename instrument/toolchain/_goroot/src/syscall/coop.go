package syscall

import _ "unsafe" // for linkname

//go:linkname coopSyscallEnter runtime.coopSyscallEnter
func coopSyscallEnter()

//go:linkname coopSyscallExit runtime.coopSyscallExit
func coopSyscallExit()
