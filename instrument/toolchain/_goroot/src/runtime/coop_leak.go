package runtime

import (
	"internal/abi"
	"internal/goarch"
	"unsafe"
)

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

// coop_goroutines calls f with each goroutine that is not running; alive says that it has
// a stack.
//
//go:linkname coop_goroutines coop/conductor.goroutines
func coop_goroutines(f func(g unsafe.Pointer, alive bool)) {
	for _, gp := range allgs[:len(allgs):len(allgs)] {
		switch readgstatus(gp) &^ _Gscan {
		case _Gwaiting, _Grunnable, _Gpreempted, _Gsyscall:
			f(unsafe.Pointer(gp), true)
		case _Gdead:
			f(unsafe.Pointer(gp), false)
		}
	}
}

// coopWords is a list for which the caller has made room, since where it is filled nothing
// can be allocated. n also counts what there was no room for.
type coopWords struct {
	words []uintptr
	n     int
}

func (w *coopWords) add(word uintptr) {
	if w.n < len(w.words) {
		w.words[w.n] = word
	}
	w.n++
}

// addArea adds the words of an area.
func (w *coopWords) addArea(lo, hi uintptr) {
	for p := lo; p < hi; p += goarch.PtrSize {
		w.add(*(*uintptr)(unsafe.Pointer(p)))
	}
}

// addMasked adds the words of the area at p that are pointers.
func (w *coopWords) addMasked(p uintptr, mask *bitvector) {
	for i := uintptr(0); i < uintptr(mask.n); i++ {
		if mask.ptrbit(i) != 0 {
			w.add(*(*uintptr)(unsafe.Pointer(p + i*goarch.PtrSize)))
		}
	}
}

// coop_stack_words stores what the collector would find in the stack of a goroutine that is
// not running: first, as many as live, the words that are live pointers; then, up to all, the
// objects in the stack, which count if a live pointer leads to them, each as its address, the
// number of its words, and these. Other words may be left from what the stack was used for
// before. If all is more than len(words), it must be called again with more room.
//
//go:linkname coop_stack_words coop/conductor.stackWords
func coop_stack_words(p unsafe.Pointer, words []uintptr) (live, all int) {
	gp := (*g)(p)
	w := coopWords{words: words}
	systemstack(func() {
		coopLiveWords(gp, &w)
		live = w.n
		coopStackObjects(gp, &w)
	})
	return live, w.n
}

// coopLiveWords is what scanstack marks, but for the objects in the stack.
func coopLiveWords(gp *g, w *coopWords) {
	w.add(uintptr(gp.sched.ctxt))
	for d := gp._defer; d != nil; d = d.link {
		w.add(uintptr(unsafe.Pointer(d))) // it may be on the heap, and known to gp only
		w.add(*(*uintptr)(unsafe.Pointer(&d.fn)))
	}
	w.add(uintptr(unsafe.Pointer(gp._panic)))
	unmapped := false
	var u unwinder
	for u.init(gp, 0); u.valid(); u.next() {
		frame := &u.frame
		if stopped := coopStoppedAnywhere(frame); stopped || unmapped {
			unmapped = stopped // so is its caller
			if frame.varp != 0 {
				w.addArea(frame.sp, frame.varp)
			}
			w.addArea(frame.argp, frame.argp+frame.argBytes())
			continue
		}
		locals, args, _ := frame.getStackMap(false)
		w.addMasked(frame.varp-uintptr(locals.n)*goarch.PtrSize, &locals)
		w.addMasked(frame.argp, &args)
	}
}

// coopStackObjects adds the objects in gp's stack.
func coopStackObjects(gp *g, w *coopWords) {
	unmapped := false
	var u unwinder
	for u.init(gp, 0); u.valid(); u.next() {
		frame := &u.frame
		if stopped := coopStoppedAnywhere(frame); stopped || unmapped {
			unmapped = stopped // all of the frame has been added
			continue
		}
		_, _, objs := frame.getStackMap(false)
		if frame.varp == 0 {
			continue // no locals
		}
		for i := range objs {
			base := frame.varp
			if objs[i].off >= 0 {
				base = frame.argp
			}
			p := base + uintptr(objs[i].off)
			if p < frame.sp {
				continue // not yet there
			}
			size := uintptr(objs[i].size) &^ (goarch.PtrSize - 1)
			w.add(p)
			w.add(size / goarch.PtrSize)
			w.addArea(p, p+size)
		}
	}
}

// coopStoppedAnywhere reports whether frame is of a function that the runtime has put on the
// stack of a goroutine to stop it where it was: of its caller, it is not known what is live.
func coopStoppedAnywhere(frame *stkframe) bool {
	return frame.fn.valid() && (frame.fn.funcID == abi.FuncID_asyncPreempt || frame.fn.funcID == abi.FuncID_debugCallV2)
}

// coop_finalizers stores the bounds of what the collector keeps alive for finalizers and
// cleanups: these, and the objects that finalizers get. If it returns more than len(bounds),
// it must be called again with more room.
//
//go:linkname coop_finalizers coop/conductor.finalizers
func coop_finalizers(bounds []uintptr) int {
	w := coopWords{words: bounds}
	systemstack(func() {
		for _, s := range mheap_.allspans {
			if s.state.get() != mSpanInUse {
				continue
			}
			for sp := s.specials; sp != nil; sp = sp.next {
				p := uintptr(unsafe.Pointer(sp))
				switch sp.kind {
				case _KindSpecialFinalizer:
					w.add(p)
					w.add(p + unsafe.Sizeof(*(*specialfinalizer)(nil)))
					if !s.spanclass.noscan() {
						obj := s.base() + uintptr(sp.offset)/s.elemsize*s.elemsize
						w.add(obj)
						w.add(obj + s.elemsize)
					}
				case _KindSpecialCleanup:
					w.add(p)
					w.add(p + unsafe.Sizeof(*(*specialCleanup)(nil)))
				}
			}
		}
		for b := allfin; b != nil; b = b.alllink { // about to run
			w.add(uintptr(unsafe.Pointer(&b.fin)))
			w.add(uintptr(unsafe.Pointer(&b.fin)) + unsafe.Sizeof(b.fin))
		}
	})
	return w.n
}
