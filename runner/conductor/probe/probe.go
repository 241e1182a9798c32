// Package probe is what instrumented source calls: one function per kind of visible
// memory operation. Outside a trial a probe is a load and a branch.
//
// Every probe evaluates as the code that it replaces does, and reaches the
// scheduling point after its operands are evaluated and immediately before the
// access, with nothing in between: what a task announces is what it does next.
// Package conductor installs Hook; without it the probes do nothing, so
// instrumented source also runs under an ordinary toolchain.
//
// The functions are generic, so that the compiler finds the types: instrumented
// source cannot name those of other packages, or shadowed ones. Where a value is
// assigned, the type comes from the location alone (At(&x).Store(v)), because the
// value may be an untyped constant, nil, or need a conversion to an interface.
package probe

import (
	"unsafe"

	"github.com/coopvet/coop/runner/sched"
)

// On says that a trial is running. Only the conductor sets it.
var On bool

// Hook is called before an access by any goroutine while On is set. site is the
// instrumenter's site number, addr and size the memory, neither of them 0; a map is
// its header. The address is no pointer, so that a probe does not move a variable to the heap.
var Hook func(kind sched.Kind, site uint32, addr, size uintptr)

// point announces an access. Without memory, or where the access will panic, there is
// none. It is a call, so that the probes themselves are small enough to be inlined.
//
//go:noinline
func point(kind sched.Kind, site uint32, addr, size uintptr) {
	if addr != 0 && size != 0 {
		Hook(kind, site, addr, size)
	}
}

// Load reads *p.
func Load[T any](site uint32, p *T) T {
	if On {
		point(sched.Read, site, uintptr(unsafe.Pointer(p)), unsafe.Sizeof(*p))
	}
	return *p
}

// Cell is an addressable location that is about to be assigned to.
type Cell[T any] struct{ p *T }

// At makes the Cell of a location.
func At[T any](p *T) Cell[T] { return Cell[T]{p} }

// Store assigns v.
func (c Cell[T]) Store(site uint32, v T) {
	if On {
		point(sched.Write, site, uintptr(unsafe.Pointer(c.p)), unsafe.Sizeof(*c.p))
	}
	*c.p = v
}

// Set assigns v to a location that is not visible.
func (c Cell[T]) Set(v T) { *c.p = v }

// Val returns v, converted as an assignment to the location would.
func (c Cell[T]) Val(v T) T { return v }

// Read announces a read of *p that stands next to the call in the source.
func Read[T any](site uint32, p *T) {
	if On {
		point(sched.Read, site, uintptr(unsafe.Pointer(p)), unsafe.Sizeof(*p))
	}
}

// Write announces a write of *p that stands next to the call in the source.
func Write[T any](site uint32, p *T) {
	if On {
		point(sched.Write, site, uintptr(unsafe.Pointer(p)), unsafe.Sizeof(*p))
	}
}

// True is an untyped constant: a comparison with it has the type that its context
// wants.
const True = true
