package conductor

import (
	"unsafe"

	"github.com/coopvet/coop/runner/sched"
)

// reach answers which blocked tasks can never proceed: those that wait for objects
// which nobody who can proceed is able to reach. It is the argument by which a garbage
// collector finds leaked goroutines (Saioc et al., Dynamic partial deadlock detection
// and recovery via garbage collection, ASPLOS 2025).
//
// Memory is read conservatively, each word that looks like a pointer is one, so it may
// take a leaked goroutine for a live one, not the other way round.
type reach struct {
	seen  map[uintptr]bool // heap objects, by base
	queue []area
	skip  [2]uintptr // the conductor's own state, which knows every object
}

type area struct{ lo, hi uintptr }

// dead returns the suspects, which are all blocked tasks that may be leaked, that can never proceed.
func (c *conductor) dead(suspects []*task) []*task {
	own := uintptr(unsafe.Pointer(c))
	r := &reach{seen: map[uintptr]bool{}, skip: [2]uintptr{own, own + unsafe.Sizeof(*c)}}
	suspected := map[unsafe.Pointer]bool{}
	for _, t := range suspects {
		suspected[t.g] = true
	}
	stack := map[unsafe.Pointer]area{}
	stacks(func(g unsafe.Pointer, lo, hi uintptr) {
		r.ignore(uintptr(g)) // a goroutine's descriptor refers to what it waits for
		if suspected[g] {
			stack[g] = area{lo, hi}
		} else {
			r.queue = append(r.queue, area{lo, hi})
		}
	})
	r.ignore(uintptr(self()))
	procs(func(p, lo, hi uintptr) {
		r.ignore(p)
		r.queue = append(r.queue, area{lo, hi})
	})
	dataAreas(func(lo, hi uintptr) { r.queue = append(r.queue, area{lo, hi}) })
	for {
		r.run()
		live := -1
		for i, t := range suspects {
			if r.reaches(t.last()) {
				live = i
				break
			}
		}
		if live < 0 {
			return suspects
		}
		r.queue = append(r.queue, stack[suspects[live].g])
		suspects = append(suspects[:live:live], suspects[live+1:]...)
	}
}

// ignore keeps r from looking into the object that p points to.
func (r *reach) ignore(p uintptr) {
	if base, _, _ := findObject(p); base != 0 {
		r.seen[base] = true
	}
}

// reaches reports whether an object of op has been reached.
func (r *reach) reaches(op *sched.Op) bool {
	if len(op.More) == 0 {
		return r.reached(op.Object)
	}
	for _, obj := range op.More {
		if r.reached(obj) {
			return true
		}
	}
	return false
}

// reached reports whether obj has been. What is not on the heap is a package-level
// variable, which everybody reaches; no object is one that nobody does (a nil channel,
// a select without cases).
func (r *reach) reached(obj uintptr) bool {
	if obj == 0 {
		return false
	}
	base, _, _ := findObject(obj)
	return base == 0 || r.seen[base]
}

// run marks everything that the areas in the queue lead to.
func (r *reach) run() {
	for len(r.queue) > 0 {
		a := r.queue[len(r.queue)-1]
		r.queue = r.queue[:len(r.queue)-1]
		const word = unsafe.Sizeof(uintptr(0))
		for p := (a.lo + word - 1) &^ (word - 1); p+word <= a.hi; p += word {
			if r.skip[0] <= p && p < r.skip[1] {
				continue
			}
			base, size, scan := findObject(load(p))
			if base == 0 || r.seen[base] {
				continue
			}
			r.seen[base] = true
			if scan {
				r.queue = append(r.queue, area{base, base + size})
			}
		}
	}
}

// load reads the word at an address that the runtime has vouched for.
func load(p uintptr) uintptr { return **(**uintptr)(unsafe.Pointer(&p)) }
