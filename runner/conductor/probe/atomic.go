package probe

import (
	"sync/atomic"
	"unsafe"

	"github.com/coopvet/coop/runner/sched"
)

// The functions of package sync/atomic, by their shape. f is the function itself,
// as the source names it.

// AtomicLoad is f(p) for the Load functions.
func AtomicLoad[T any](site uint32, f func(*T) T, p *T) T {
	if On {
		point(sched.AtomicLoad, site, uintptr(unsafe.Pointer(p)), unsafe.Sizeof(*p))
	}
	return f(p)
}

// AtomicStore is f(p, v) for the Store functions.
func AtomicStore[T any](site uint32, f func(*T, T), p *T, v T) {
	if On {
		point(sched.AtomicStore, site, uintptr(unsafe.Pointer(p)), unsafe.Sizeof(*p))
	}
	f(p, v)
}

// AtomicRMW is f(p, v) for the Add, And, Or and Swap functions.
func AtomicRMW[T any](site uint32, f func(*T, T) T, p *T, v T) T {
	if On {
		point(sched.AtomicRMW, site, uintptr(unsafe.Pointer(p)), unsafe.Sizeof(*p))
	}
	return f(p, v)
}

// AtomicCAS is f(p, old, new) for the CompareAndSwap functions.
func AtomicCAS[T any](site uint32, f func(*T, T, T) bool, p *T, old, new T) bool {
	if On {
		point(sched.AtomicRMW, site, uintptr(unsafe.Pointer(p)), unsafe.Sizeof(*p))
	}
	return f(p, old, new)
}

// The types of package sync/atomic, by their methods. P is a pointer to one of them.

// cellPoint announces an operation on the atomic variable *p. Its first byte stands for
// it: its size does not follow from P, and nobody accesses a part of it.
func cellPoint[P any](kind sched.Kind, site uint32, p P) {
	if On {
		point(kind, site, *(*uintptr)(unsafe.Pointer(&p)), 1)
	}
}

// CellLoad is p.Load().
func CellLoad[T any, P interface{ Load() T }](site uint32, p P) T {
	cellPoint(sched.AtomicLoad, site, p)
	return p.Load()
}

// CellStore is p.Store(v).
func CellStore[T any, P interface{ Store(T) }](site uint32, p P, v T) {
	cellPoint(sched.AtomicStore, site, p)
	p.Store(v)
}

// CellSwap is p.Swap(v).
func CellSwap[T any, P interface{ Swap(T) T }](site uint32, p P, v T) T {
	cellPoint(sched.AtomicRMW, site, p)
	return p.Swap(v)
}

// CellCompareAndSwap is p.CompareAndSwap(old, new).
func CellCompareAndSwap[T any, P interface{ CompareAndSwap(_, _ T) bool }](site uint32, p P, old, new T) bool {
	cellPoint(sched.AtomicRMW, site, p)
	return p.CompareAndSwap(old, new)
}

// CellAdd is p.Add(v).
func CellAdd[T any, P interface{ Add(T) T }](site uint32, p P, v T) T {
	cellPoint(sched.AtomicRMW, site, p)
	return p.Add(v)
}

// CellAnd is p.And(v).
func CellAnd[T any, P interface{ And(T) T }](site uint32, p P, v T) T {
	cellPoint(sched.AtomicRMW, site, p)
	return p.And(v)
}

// CellOr is p.Or(v).
func CellOr[T any, P interface{ Or(T) T }](site uint32, p P, v T) T {
	cellPoint(sched.AtomicRMW, site, p)
	return p.Or(v)
}

// atomic.Value takes values of any type, so the type of the method's parameter does
// not follow from the argument.

// ValueStore is p.Store(v).
func ValueStore(site uint32, p *atomic.Value, v any) {
	cellPoint(sched.AtomicStore, site, p)
	p.Store(v)
}

// ValueSwap is p.Swap(v).
func ValueSwap(site uint32, p *atomic.Value, v any) any {
	cellPoint(sched.AtomicRMW, site, p)
	return p.Swap(v)
}

// ValueCompareAndSwap is p.CompareAndSwap(old, new).
func ValueCompareAndSwap(site uint32, p *atomic.Value, old, new any) bool {
	cellPoint(sched.AtomicRMW, site, p)
	return p.CompareAndSwap(old, new)
}
