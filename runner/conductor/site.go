package conductor

import (
	"runtime"
	"strings"
	"unsafe"

	"github.com/coopvet/coop/runner/sched"
)

// A place says what the code at a program counter means for control.
type place uint8

const (
	placeUnknown  place = iota
	placePlumbing       // implements synchronisation: the operation is its caller's
	placeSilent         // the standard library otherwise: operations happen, but are no choices
	placePoint          // any other code: an operation is a scheduling point
)

// plumbing lists the packages of the standard library whose operations belong to
// whoever calls them.
var plumbing = map[string]bool{
	"runtime": true, "sync": true, "sync/atomic": true, "context": true, "time": true, "iter": true,
	"reflect": true, "internal/reflectlite": true, "unique": true, "weak": true, "io": true, "testing/synctest": true,
}

// sites finds the program's own call site of an operation of the runtime, and numbers
// call sites. It caches by program counter, because an operation must not cost more
// than a few nanoseconds.
type sites struct {
	cache  [1 << 12]siteEntry
	pcs    []uintptr // by number
	hashes []uint64  // of function and line, by number: equal in every process
	std    string    // path prefix of the standard library's files
}

type siteEntry struct {
	pc     uintptr
	number sched.Site
	place  place
}

func (s *sites) init() {
	s.pcs = append(s.pcs, 0) // number 0 is unknown
	s.hashes = append(s.hashes, 0)
	file, _ := runtime.FuncForPC(funcPC(runtime.GC)).FileLine(funcPC(runtime.GC))
	s.std = strings.TrimSuffix(file, "runtime/mgc.go")
}

func funcPC(f func()) uintptr { return **(**uintptr)(unsafe.Pointer(&f)) }

// caller walks the frame pointers from fp to the first frame that is not plumbing.
func (s *sites) caller(fp unsafe.Pointer) (sched.Site, place) {
	for depth := 0; fp != nil && depth < 64; depth++ {
		pc := *(*uintptr)(unsafe.Add(fp, unsafe.Sizeof(fp)))
		e := &s.cache[(pc^pc>>12)%uintptr(len(s.cache))]
		if e.pc != pc {
			s.fill(e, pc)
		}
		if e.place != placePlumbing {
			return e.number, e.place
		}
		fp = *(*unsafe.Pointer)(fp)
	}
	return 0, placePoint // a goroutine of the plumbing itself, such as context's
}

// fill classifies a return address. Inlining may have put several functions there: the
// innermost that is not plumbing counts.
func (s *sites) fill(e *siteEntry, pc uintptr) {
	e.pc = pc
	e.place = placePlumbing
	e.number = 0
	if pc == 0 {
		return
	}
	frames := runtime.CallersFrames([]uintptr{pc})
	for {
		f, more := frames.Next()
		if p := s.classify(f); p != placePlumbing {
			e.place = p
			e.number = s.number(pc, f)
			return
		}
		if !more {
			return
		}
	}
}

func (s *sites) number(pc uintptr, f runtime.Frame) sched.Site {
	for i, known := range s.pcs {
		if known == pc {
			return sched.Site(2*i + 1)
		}
	}
	s.pcs = append(s.pcs, pc)
	s.hashes = append(s.hashes, hashString(f.Function)^sched.Mix(uint64(f.Line)))
	return sched.Site(2*(len(s.pcs)-1) + 1)
}

func (s *sites) classify(f runtime.Frame) place {
	if f.Function == "" {
		return placePlumbing // the frame below a goroutine's function
	}
	if !strings.HasPrefix(f.File, s.std) {
		return placePoint
	}
	pkg := packageOf(f.Function)
	if plumbing[pkg] || strings.HasPrefix(pkg, "internal/runtime/") || pkg == "internal/sync" || strings.HasPrefix(pkg, "coop/") {
		return placePlumbing
	}
	return placeSilent
}

// packageOf returns the import path in a function's name.
func packageOf(name string) string {
	slash := strings.LastIndexByte(name, '/') + 1
	if i := strings.IndexByte(name[slash:], '['); i >= 0 {
		name = name[:slash+i]
	}
	if i := strings.IndexByte(name[slash:], '.'); i >= 0 {
		return name[:slash+i]
	}
	return name
}

// hash identifies a site for the trace hash.
func (s *sites) hash(n sched.Site) uint64 {
	if n&1 == 0 {
		return uint64(n)
	}
	return s.hashes[n>>1]
}

// position resolves a site. It is for reports, not for the hot path.
func (s *sites) position(n sched.Site) sched.Position {
	if n == 0 {
		return sched.Position{}
	}
	if n&1 == 0 {
		return sched.Position{Access: uint32(n >> 1)}
	}
	return s.positionOf(s.pcs[n>>1])
}

// positionOf resolves a return address to the first function there that is not
// plumbing.
func (s *sites) positionOf(pc uintptr) sched.Position {
	if pc == 0 {
		return sched.Position{}
	}
	frames := runtime.CallersFrames([]uintptr{pc})
	for {
		f, more := frames.Next()
		if !more || s.classify(f) != placePlumbing {
			return sched.Position{File: f.File, Line: f.Line, Func: f.Function}
		}
	}
}

// goSite numbers the place of a go statement.
func (s *sites) goSite(pc uintptr) sched.Site {
	if pc == 0 {
		return 0
	}
	f, _ := runtime.CallersFrames([]uintptr{pc}).Next()
	return s.number(pc, f)
}

// frame returns the name of the function at pc.
func (s *sites) frame(pc uintptr) string {
	f, _ := runtime.CallersFrames([]uintptr{pc}).Next()
	return f.Function
}

func hashString(s string) uint64 {
	h := uint64(0xcbf29ce484222325)
	for i := 0; i < len(s); i++ {
		h = (h ^ uint64(s[i])) * 0x100000001b3
	}
	return h
}
