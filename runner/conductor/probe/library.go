package probe

import (
	"unsafe"

	"github.com/coopvet/coop/runner/sched"
)

// Calls of the standard library that access their receiver or an argument: these announce
// the access and return the operand, for the call that follows at once.

// ReadObject announces that *p is read.
func ReadObject[T any](site uint32, p *T) *T {
	if On {
		point(sched.Read, site, uintptr(unsafe.Pointer(p)), unsafe.Sizeof(*p))
	}
	return p
}

// WriteObject announces that *p is written.
func WriteObject[T any](site uint32, p *T) *T {
	if On {
		point(sched.Write, site, uintptr(unsafe.Pointer(p)), unsafe.Sizeof(*p))
	}
	return p
}

// ReadElements announces that the elements of s are read, if there are two: one alone
// need not be looked at.
func ReadElements[S ~[]E, E any](site uint32, s S) S {
	if On && len(s) > 1 {
		elements(sched.Read, site, s, len(s))
	}
	return s
}
