package runtime

import "unsafe"

// What the leak oracle must know of memory. It runs on the conductor's goroutine, when
// no task runs and the collector does not.

// coop_object returns the heap object that addr points into; base is 0 if there is
// none. scan is false if the object holds no pointers.
//
//go:linkname coop_object coop/conductor.findObject
func coop_object(addr uintptr) (base, size uintptr, scan bool) {
	s := spanOfHeap(addr) // not findObject, which takes offence at what is no pointer
	if s == nil {
		return 0, 0, false
	}
	return s.base() + s.objIndex(addr)*s.elemsize, s.elemsize, !s.spanclass.noscan()
}

// coop_data calls f with the bounds of each area of package-level variables. Two of the
// runtime's own are left out: the table of semaphores, which refers to what goroutines wait
// for, and the heap's bookkeeping, in which addresses are no references.
//
//go:linkname coop_data coop/conductor.dataAreas
func coop_data(f func(lo, hi uintptr)) {
	table := uintptr(unsafe.Pointer(&semtable))
	heap := uintptr(unsafe.Pointer(&mheap_))
	out := [...][2]uintptr{{table, table + unsafe.Sizeof(semtable)}, {heap, heap + unsafe.Sizeof(mheap_)}}
	if table > heap {
		out[0], out[1] = out[1], out[0]
	}
	for _, m := range activeModules() {
		for _, area := range [...][2]uintptr{{m.data, m.edata}, {m.bss, m.ebss}} {
			lo, hi := area[0], area[1]
			for _, o := range out {
				if lo <= o[0] && o[1] <= hi {
					f(lo, o[0])
					lo = o[1]
				}
			}
			f(lo, hi)
		}
	}
}

// coop_procs calls f with what the scheduler keeps on the heap: with each P, whose caches
// and buffers are full of stale pointers, and with the bounds of its timers, which count;
// with each M and its two goroutines, in which nothing counts. The end of a system stack,
// for example, is the address of whatever object lies behind it, and how many Ms there
// are depends on real time.
//
//go:linkname coop_procs coop/conductor.procs
func coop_procs(f func(p, lo, hi uintptr)) {
	for _, pp := range allp {
		ts := uintptr(unsafe.Pointer(&pp.timers))
		f(uintptr(unsafe.Pointer(pp)), ts, ts+unsafe.Sizeof(pp.timers))
	}
	for mp := allm; mp != nil; mp = mp.alllink {
		f(uintptr(unsafe.Pointer(mp)), 0, 0)
		f(uintptr(unsafe.Pointer(mp.g0)), 0, 0)
		f(uintptr(unsafe.Pointer(mp.gsignal)), 0, 0)
	}
}

// coop_stacks calls f with each goroutine that is not running, and the bounds of the
// live part of its stack.
//
//go:linkname coop_stacks coop/conductor.stacks
func coop_stacks(f func(g unsafe.Pointer, lo, hi uintptr)) {
	for _, gp := range allgs[:len(allgs):len(allgs)] {
		switch readgstatus(gp) &^ _Gscan {
		case _Gwaiting, _Grunnable, _Gpreempted:
			f(unsafe.Pointer(gp), gp.sched.sp, gp.stack.hi)
		case _Gsyscall:
			f(unsafe.Pointer(gp), gp.syscallsp, gp.stack.hi)
		case _Gdead:
			f(unsafe.Pointer(gp), 0, 0)
		}
	}
}
