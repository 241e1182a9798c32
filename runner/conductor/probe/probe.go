// Package probe is what instrumented source calls: one function per kind of visible
// memory operation. Outside a trial a probe is a load and a branch.
//
// Every probe evaluates as the code that it replaces does, and reaches the
// scheduling point after its operands are evaluated and immediately before the
// access. Package conductor installs Hook; without it the probes do nothing, so
// instrumented source also runs under an ordinary toolchain.
package probe

import (
	"unsafe"

	"github.com/coopvet/coop/runner/sched"
)

// On says that a trial is running. Only the conductor sets it.
var On bool

// Hook is called before an access by any goroutine while On is set. site is the
// instrumenter's site number, p and size the memory.
var Hook func(kind sched.Kind, site uint32, p unsafe.Pointer, size uintptr)

// Load reaches the scheduling point and then reads *p.
func Load[T any](site uint32, p *T) T {
	if On {
		Hook(sched.Read, site, unsafe.Pointer(p), unsafe.Sizeof(*p))
	}
	return *p
}

// Cell is an addressable location about to be assigned to.
type Cell[T any] struct{ p *T }

// At makes the Cell of a location. Its type parameter comes from the location alone,
// so that the value of Store converts as it does in an assignment.
func At[T any](p *T) Cell[T] { return Cell[T]{p} }

// Store reaches the scheduling point and then assigns v.
func (c Cell[T]) Store(site uint32, v T) {
	if On {
		Hook(sched.Write, site, unsafe.Pointer(c.p), unsafe.Sizeof(*c.p))
	}
	*c.p = v
}
