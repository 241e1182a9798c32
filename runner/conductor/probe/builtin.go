package probe

import (
	"unsafe"

	"github.com/coopvet/coop/runner/sched"
)

// elements announces an access to the first n elements of s.
func elements[E any](kind sched.Kind, site uint32, s []E, n int) {
	if On {
		p := unsafe.SliceData(s)
		point(kind, site, uintptr(unsafe.Pointer(p)), uintptr(n)*unsafe.Sizeof(*p))
	}
}

// Copy is copy(dst, src). The write of dst (site) is announced before, the read of
// src (site+1) after the copy, so that both stand next to it.
func Copy[D, S ~[]E, E any](site uint32, dst D, src S) int {
	elements(sched.Write, site, dst, min(len(dst), len(src)))
	n := copy(dst, src)
	elements(sched.Read, site+1, src, n)
	return n
}

// CopyString is copy(dst, src) for a string.
func CopyString[D ~[]byte, S ~string](site uint32, dst D, src S) int {
	elements(sched.Write, site, dst, min(len(dst), len(src)))
	return copy(dst, src)
}

// Clear is clear(s) for a slice.
func Clear[S ~[]E, E any](site uint32, s S) {
	elements(sched.Write, site, s, len(s))
	clear(s)
}

// Chan announces that the length of c is read and returns c.
func Chan[C any](site uint32, c C) C {
	if On {
		point(sched.ChanLen, site, *(*uintptr)(unsafe.Pointer(&c)), wordSize)
	}
	return c
}
