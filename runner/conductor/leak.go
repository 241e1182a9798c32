package conductor

import (
	"unsafe"

	"github.com/coopvet/coop/runner/sched"
)

// leaks saves a part of the searches for leaks, each of which takes longer than many a
// trial: of goroutines that wait in the same places.
type leaks struct {
	all   bool            // nothing is saved
	known map[string]bool // by places: an earlier trial of the job has proven and reported these
	asked map[string]int  // by places: how often the process has been asked for these
}

// reset begins a job. One that repeats a schedule, or explores all that there are, says of
// each trial what is true of it.
func (l *leaks) reset(all bool) {
	l.all, l.known = all, map[string]bool{}
	if l.asked == nil {
		l.asked = map[string]int{}
	}
}

// asks reports whether to search for leaks at places. Who waits there may be no leak in one
// trial and one in the next, so the answer is yes again and again, but less and less often.
func (l *leaks) asks(places string) bool {
	l.asked[places]++
	n := l.asked[places]
	return l.all || n&(n-1) == 0
}

// reach answers which blocked tasks can never proceed: those that wait for objects
// which nobody who can proceed is able to reach. It is the argument by which a garbage
// collector finds leaked goroutines (Saioc et al., Dynamic partial deadlock detection
// and recovery via garbage collection, ASPLOS 2025).
//
// Stacks are read as the collector reads them. Other memory is read conservatively, each
// word that looks like a pointer is one, so a leaked goroutine may be taken for a live one,
// not the other way round.
type reach struct {
	seen  map[uintptr]bool // heap objects, by base
	queue []area
	skip  [2]uintptr // the conductor's own state, which knows every object
	words []uintptr  // room for those of a stack
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
	var roots []unsafe.Pointer
	goroutines(func(g unsafe.Pointer, alive bool) {
		r.ignore(uintptr(g)) // a goroutine's descriptor refers to what it waits for
		if alive && !suspected[g] {
			roots = append(roots, g)
		}
	})
	r.ignore(uintptr(self()))
	procs(func(p, lo, hi uintptr) {
		r.ignore(p)
		r.queue = append(r.queue, area{lo, hi})
	})
	for _, g := range roots {
		r.stack(g)
	}
	r.finalizers()
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
		r.stack(suspects[live].g)
		suspects = append(suspects[:live:live], suspects[live+1:]...)
	}
}

// stack marks what the stack of g, which is not running, leads to.
func (r *reach) stack(g unsafe.Pointer) {
	live, all := stackWords(g, r.words)
	for all > len(r.words) {
		r.words = make([]uintptr, 2*all)
		live, all = stackWords(g, r.words)
	}
	eachLive(r.words[:live], r.words[live:all], r.mark)
}

// eachLive calls f with each live word of a stack: with those of live, and with the words of
// the objects to which live words lead. An object is its address, the number of its words,
// and these. It spoils objects.
func eachLive(live, objects []uintptr, f func(word uintptr)) {
	lo, hi := bounds(objects)
	queue := [][]uintptr{live}
	for len(queue) > 0 {
		words := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		for _, word := range words {
			if lo <= word && word < hi {
				queue = append(queue, take(objects, word))
			}
			f(word)
		}
	}
}

// bounds returns the lowest and the highest address of objects.
func bounds(objects []uintptr) (lo, hi uintptr) {
	for lo = ^lo; len(objects) > 0; {
		start, n := objects[0], objects[1]
		lo, hi = min(lo, start), max(hi, start+n*unsafe.Sizeof(n))
		objects = objects[2+n:]
	}
	return lo, hi
}

// take returns the contents of the object that word points to, the first time.
func take(objects []uintptr, word uintptr) []uintptr {
	for len(objects) > 0 {
		start, n := objects[0], objects[1]
		contents := objects[2:][:n]
		if start <= word && word < start+n*unsafe.Sizeof(word) {
			objects[0] = ^uintptr(0)
			return contents
		}
		objects = objects[2+n:]
	}
	return nil
}

// finalizers marks what finalizers and cleanups will get and lead to when they run.
func (r *reach) finalizers() {
	bounds := make([]uintptr, 256)
	n := finalizers(bounds)
	for n > len(bounds) {
		bounds = make([]uintptr, 2*n)
		n = finalizers(bounds)
	}
	for i := 0; i < n; i += 2 {
		r.queue = append(r.queue, area{bounds[i], bounds[i+1]})
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
			r.mark(load(p))
		}
	}
}

// mark puts the object that word points to, if it does, into the queue, once.
func (r *reach) mark(word uintptr) {
	base, size, scan := findObject(word)
	if base == 0 || r.seen[base] {
		return
	}
	r.seen[base] = true
	if scan {
		r.queue = append(r.queue, area{base, base + size})
	}
}

// load reads the word at an address that the runtime has vouched for.
func load(p uintptr) uintptr { return **(**uintptr)(unsafe.Pointer(&p)) }
