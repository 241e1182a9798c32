package lockset

import (
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/coopvet/coop/escape/syncop"
)

// effect is a change of what is held.
type effect struct {
	kind syncop.Kind // Acquire, TryAcquire, Release
	lock Held
}

// effects returns what a call does to locks, in order; result is its value, if it has
// one.
func (f *Func) effects(c *ssa.CallCommon, result ssa.Value) []effect {
	if op, args, ok := syncop.OfCall(c); ok {
		return ownEffect(op, args)
	}
	callee := c.StaticCallee()
	if callee == nil {
		return nil
	}
	var bindings []ssa.Value
	if m, ok := c.Value.(*ssa.MakeClosure); ok {
		bindings = m.Bindings
	}
	sum := f.prog.summary(callee)
	var out []effect
	for _, r := range sum.Releases {
		if p, ok := r.In(c.Args, bindings, result); ok {
			out = append(out, effect{syncop.Release, Held{Lock: p}})
		}
	}
	for _, a := range sum.Acquires {
		if p, ok := a.Ref.In(c.Args, bindings, result); ok {
			out = append(out, effect{syncop.Acquire, Held{p, a.Reading, a.Dynamic}})
		}
	}
	if sum.Try != nil {
		if p, ok := sum.Try.Ref.In(c.Args, bindings, result); ok {
			out = append(out, effect{syncop.TryAcquire, Held{p, sum.Try.Reading, sum.Try.Dynamic}})
		}
	}
	return out
}

// ownEffect is the effect of an operation of package sync. Cond.Wait releases its lock
// and has it again when it returns, so it has none.
func ownEffect(op syncop.Op, args []ssa.Value) []effect {
	if !op.Kind.IsAcquire() && !op.Kind.IsRelease() {
		return nil
	}
	p, reading := lockPath(args[op.Object])
	h := Held{Lock: p, Reading: reading || op.Kind.ForReading(), Dynamic: op.Dynamic}
	switch {
	case op.Kind.IsTry():
		return []effect{{syncop.TryAcquire, h}}
	case op.Kind.IsAcquire():
		return []effect{{syncop.Acquire, h}}
	}
	return []effect{{syncop.Release, h}}
}

// observer is told of what step does.
type observer interface {
	acquire(i ssa.CallInstruction, kind syncop.Kind, lock Held, held Set)
	release(lock Path, held Set)
	deferred(d *ssa.Defer, held Set)
}

// step changes s to the state after i.
func (f *Func) step(s *state, i ssa.Instruction, o observer) {
	switch i := i.(type) {
	case *ssa.Call:
		f.call(s, i, &i.Call, i, o)
	case *ssa.Defer:
		if n := slices.Index(f.defers, i); n < 64 {
			s.may |= 1 << n
			s.must |= 1 << n
		}
	case *ssa.Go:
		f.handOver(s, &i.Call)
		if f.prog.sound != nil {
			f.lose(s, &i.Call)
		}
	case *ssa.RunDefers:
		f.runDefers(s, o)
	}
	if v, ok := i.(ssa.Value); ok && f.roots[v] {
		f.redefine(s, v, i)
	}
}

// handOver takes from s the locks that a goroutine which is started releases.
func (f *Func) handOver(s *state, c *ssa.CallCommon) {
	for _, e := range f.effects(c, nil) {
		if e.kind == syncop.Release {
			s.held = s.held.without(e.lock.Lock)
		}
	}
}

func (f *Func) call(s *state, i ssa.CallInstruction, c *ssa.CallCommon, result ssa.Value, o observer) {
	effects := f.effects(c, result)
	if f.prog.sound != nil {
		f.lose(s, c)
	} else if len(effects) == 0 && unknown(c) {
		made := madeOf(c.Value)
		s.held = s.held.filter(func(h Held) bool { return !f.prog.releasers[h.Lock.Field()] && !slices.Contains(made, h.Lock) })
	}
	for _, e := range effects {
		switch e.kind {
		case syncop.Release:
			if o != nil {
				o.release(e.lock.Lock, s.held)
			}
			if !s.held.Has(e.lock.Lock) {
				s.released = s.released.with(Held{Lock: e.lock.Lock})
			}
			s.held = s.held.without(e.lock.Lock)
		default:
			if o != nil {
				o.acquire(i, e.kind, e.lock, s.held)
			}
			if e.kind == syncop.Acquire {
				s.held = s.held.with(e.lock)
				s.released = s.released.without(e.lock.Lock)
			}
		}
	}
}

// madeOf returns the locks that have been given to the function that has made the function value
// v, as in unlock := unlockOnce(&mu).
func madeOf(v ssa.Value) []Path {
	call, ok := PathOf(v).Root.(*ssa.Call)
	if !ok {
		return nil
	}
	var locks []Path
	for _, a := range call.Call.Args {
		p, _ := lockPath(a)
		locks = append(locks, p)
	}
	return locks
}

// unknown reports whether a call may be one of a function value that releases a lock.
func unknown(c *ssa.CallCommon) bool {
	if _, builtin := c.Value.(*ssa.Builtin); builtin {
		return false
	}
	return c.IsInvoke() || c.StaticCallee() == nil || len(c.StaticCallee().Blocks) == 0 && takesFunc(c)
}

// takesFunc reports whether a call passes a function or an interface, which the callee
// may call.
func takesFunc(c *ssa.CallCommon) bool {
	_, _, known := syncop.OfCall(c)
	return !known && slices.ContainsFunc(c.Args, func(v ssa.Value) bool { return mayCall(v.Type()) })
}

// acquireTry adds the lock of a TryLock that has succeeded.
func (f *Func) acquireTry(s *state, call *ssa.Call) {
	for _, e := range f.effects(&call.Call, call) {
		if e.kind == syncop.TryAcquire {
			s.held = s.held.with(e.lock)
		}
	}
}

// runDefers applies the deferred calls. In which order they run is not known: each may
// come after any other that may be deferred after it.
func (f *Func) runDefers(s *state, o observer) {
	entry := s.held
	for n, d := range f.defers {
		if n < 64 && s.may&(1<<n) == 0 {
			continue
		}
		if o != nil {
			held := state{held: entry}
			for m, later := range f.defers {
				if m != n && (m >= 64 || s.may&(1<<m) != 0) && mayFollow(d, later) {
					f.call(&held, later, &later.Call, nil, nil)
				}
			}
			o.deferred(d, held.held)
		}
	}
	for n, d := range slices.Backward(f.defers) {
		if n < 64 && s.may&(1<<n) == 0 {
			continue
		}
		before := s.held
		f.call(s, d, &d.Call, nil, o)
		if n >= 64 || s.must&(1<<n) == 0 {
			s.held = s.held.meet(before) // it may not have been deferred
		}
	}
	s.may, s.must = 0, 0
}

// mayFollow reports whether b can be executed after a.
func mayFollow(a, b ssa.Instruction) bool {
	if a.Block() == b.Block() && slices.Index(a.Block().Instrs, a) < slices.Index(a.Block().Instrs, b) {
		return true
	}
	seen := make(map[*ssa.BasicBlock]bool)
	work := slices.Clone(a.Block().Succs)
	for len(work) > 0 {
		x := work[len(work)-1]
		work = work[:len(work)-1]
		if x == b.Block() {
			return true
		}
		if !seen[x] {
			seen[x] = true
			work = append(work, x.Succs...)
		}
	}
	return false
}

// redefine forgets locks whose path goes through v, which has a new value now.
func (f *Func) redefine(s *state, v ssa.Value, i ssa.Instruction) {
	index := "[" + v.Name() + "]"
	s.held = s.held.filter(func(h Held) bool {
		if h.Lock.Root == v {
			// A call that returns a locked object has just locked it.
			call, ok := i.(*ssa.Call)
			return ok && slices.ContainsFunc(f.effects(&call.Call, call), func(e effect) bool {
				return e.kind == syncop.Acquire && e.lock.Lock == h.Lock
			})
		}
		return !strings.Contains(h.Lock.Sel, index)
	})
}

// collector gathers what the results of a function consist of.
type collector struct {
	f        *Func
	released map[Ref]bool
	hit      bool // by the last step, something that may be a lock of the caller's
}

// collect visits the solved function once more.
func (f *Func) collect() {
	c := &collector{f: f, released: make(map[Ref]bool)}
	f.atRun = make(map[*ssa.Defer]Set)
	for _, b := range f.Fn.Blocks {
		s, ok := f.before[b]
		if !ok {
			continue
		}
		for _, i := range b.Instrs {
			if r, ok := i.(*ssa.Return); ok && b != f.Fn.Recover {
				f.Returns = append(f.Returns, Return{r, s.held})
			}
			c.hit = false
			f.step(&s, i, c)
			if c.hit || f.losing(i) {
				f.Releasing = append(f.Releasing, i)
			}
		}
	}
	for r := range c.released {
		f.Summary.Releases = append(f.Summary.Releases, r)
	}
	sortRefs(f.Summary.Releases)
}

func (c *collector) acquire(i ssa.CallInstruction, kind syncop.Kind, lock Held, held Set) {
	if op, _, ok := syncop.OfCall(i.Common()); ok {
		c.f.Acquires = append(c.f.Acquires, Acquire{Instr: i, Kind: op.Kind, Lock: lock, Held: held})
	}
}

// release notes that a lock of the caller may be released.
func (c *collector) release(lock Path, held Set) {
	if held.Has(lock) {
		return
	}
	c.hit = true
	if r, ok := Refer(c.f.Fn, lock); ok {
		c.released[r] = true
	}
}

func (c *collector) deferred(d *ssa.Defer, held Set) {
	if old, ok := c.f.atRun[d]; ok {
		held = old.meet(held)
	}
	c.f.atRun[d] = held
}
