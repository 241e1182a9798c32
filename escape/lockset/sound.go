package lockset

import (
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/coopvet/coop/escape/syncop"
)

// NewSound returns a Program for the functions of a whole program of which a lock is held
// for sure where it is said to be, as far as paths through pointers tell. In contrast to those
// of NewProgram it is also right about
//
//   - calls of unknown functions, also in functions that are called: any function that is used as
//     a value, or method of the same name of a value in an interface, may release a lock for its
//     caller, and then a lock of which the last field has the same name is not held any more;
//   - recursive calls, of which the summaries are computed again and again;
//   - deferred calls that run because a call has panicked or ended the goroutine.
func NewSound(fns []*ssa.Function) *Program {
	p := &Program{fns: fns, sound: &sound{assumed: make(map[*ssa.Function]*Summary)}}
	for round := 1; ; round++ {
		p.reset()
		p.sound.cut = make(map[*ssa.Function]bool)
		next := sound{assumed: make(map[*ssa.Function]*Summary), methods: make(map[string]*fields)}
		seen := make(map[types.Type]bool)
		for _, fn := range fns {
			p.Summary(fn)
			eachFunctionValue(fn, func(v *ssa.Function, bindings []ssa.Value) {
				next.values.addAll(p.releasedBy(v, bindings))
			})
			for _, b := range fn.Blocks {
				for _, i := range b.Instrs {
					if m, ok := i.(*ssa.MakeInterface); ok {
						next.addMethods(p, m, seen)
					}
				}
			}
		}
		for fn := range p.sound.cut {
			next.assumed[fn] = p.Summary(fn).releasesOnly()
		}
		if p.sound.covers(&next) {
			return p
		}
		next.widen(round)
		p.sound = &next
	}
}

// manyRounds bounds the computation: after as many, a recursion of many functions has not
// been followed to its end.
const manyRounds = 10

// widen assumes the worst where the end has not been reached: first of recursive functions,
// and at last of all that are unknown.
func (s *sound) widen(round int) {
	if round >= manyRounds {
		for fn := range s.assumed {
			s.assumed[fn] = &Summary{loose: fields{any: true}}
		}
	}
	if round >= 2*manyRounds {
		s.values.any = true
		for _, f := range s.methods {
			f.any = true
		}
	}
}

// sound is what a Program of NewSound knows besides.
type sound struct {
	values  fields                     // that functions used as values release for their callers
	methods map[string]*fields         // that methods of values in interfaces release, by name
	assumed map[*ssa.Function]*Summary // of functions that are called while they are computed
	cut     map[*ssa.Function]bool     // functions that were
}

// of returns what is assumed of a function that is being computed.
func (s *sound) of(fn *ssa.Function) *Summary {
	s.cut[fn] = true
	if sum := s.assumed[fn]; sum != nil {
		return sum
	}
	return noSummary
}

// covers reports whether nothing that t knows is missing in s.
func (s *sound) covers(t *sound) bool {
	if !s.values.covers(&t.values) {
		return false
	}
	for name, f := range t.methods {
		if g := s.methods[name]; g == nil && !f.empty() || g != nil && !g.covers(f) {
			return false
		}
	}
	for fn, sum := range t.assumed {
		old := s.assumed[fn]
		if old == nil {
			old = noSummary
		}
		if old.loose.any {
			continue // of all locks
		}
		if !old.loose.covers(&sum.loose) || slices.ContainsFunc(sum.Releases, func(r Ref) bool { return !slices.Contains(old.Releases, r) }) {
			return false
		}
	}
	return true
}

// releasesOnly is the part of a summary by which locks are lost.
func (s *Summary) releasesOnly() *Summary { return &Summary{Releases: s.Releases, loose: s.loose} }

// fields is a set of names of the last fields of locks.
type fields struct {
	names map[string]bool
	any   bool // all of them
}

func (f *fields) empty() bool { return !f.any && len(f.names) == 0 }

func (f *fields) add(name string) {
	if f.names == nil {
		f.names = make(map[string]bool)
	}
	f.names[name] = true
}

func (f *fields) addAll(g *fields) {
	if g == nil {
		return
	}
	f.any = f.any || g.any
	for name := range g.names {
		f.add(name)
	}
}

func (f *fields) covers(g *fields) bool {
	for name := range g.names {
		if !f.names[name] && !f.any {
			return false
		}
	}
	return f.any || !g.any
}

// addPath adds the lock at a path. Of a lock that a pointer leads to the field is not known.
func (f *fields) addPath(p Path) {
	if nameless(p) {
		f.any = true
		return
	}
	f.add(p.Field())
}

func nameless(p Path) bool {
	last := lastStep(p)
	return last == "" && !isVariable(p.Root) || strings.HasPrefix(last, "*")
}

// keeps reports whether a lock is certainly none of the set.
func (f *fields) keeps(lock Path) bool {
	return f.empty() || !f.any && !nameless(lock) && !f.names[lock.Field()]
}

// releasedBy returns which locks of its caller, or of others, the function fn may release.
func (p *Program) releasedBy(fn *ssa.Function, bindings []ssa.Value) *fields {
	out := new(fields)
	if op, ok := syncop.Of(syncop.Bound(fn)); ok {
		if op.Kind.IsRelease() {
			out.addPath(PathOf(bindings[0]))
		}
		return out
	}
	if op, ok := syncop.Of(syncop.Declared(fn)); ok {
		out.any = op.Kind.IsRelease() // as in (*sync.Mutex).Unlock
		return out
	}
	sum := p.Summary(fn)
	out.addAll(&sum.loose)
	for _, r := range sum.Releases {
		path := Path{Sel: r.Sel}
		switch {
		case r.From == FreeVar && r.Index < len(bindings):
			path = PathOf(bindings[r.Index]).Join(r.Sel)
		case r.From == Global && r.global != nil:
			path.Root = r.global
		}
		out.addPath(path)
	}
	return out
}

// addMethods adds the methods of a value that is put into an interface.
func (s *sound) addMethods(p *Program, m *ssa.MakeInterface, seen map[types.Type]bool) {
	t := m.X.Type()
	set := m.Parent().Prog.MethodSets.MethodSet(t)
	_, pointer := t.Underlying().(*types.Pointer)
	for i := range set.Len() {
		name := set.At(i).Obj().Name()
		if s.methods[name] == nil {
			s.methods[name] = new(fields)
		}
		fn := m.Parent().Prog.MethodValue(set.At(i))
		if fn == nil {
			continue
		}
		if op, ok := syncop.Of(syncop.Declared(fn)); ok && fn.Synthetic == "" {
			if op.Kind.IsRelease() && pointer {
				s.methods[name].addPath(PathOf(m.X))
			}
		} else if !seen[t] {
			s.methods[name].addAll(p.releasedBy(fn, nil))
		}
	}
	seen[t] = true
}

// mayLose returns the locks that a call may release besides those that its summary says;
// nil if there are none.
func (p *Program) mayLose(c *ssa.CallCommon) *fields {
	s := p.sound
	if _, builtin := c.Value.(*ssa.Builtin); builtin {
		return nil
	}
	if op, _, ok := syncop.OfCall(c); ok {
		if op.Func >= 0 && op.Kind != syncop.Later {
			return &s.values
		}
		return nil
	}
	callee := c.StaticCallee()
	switch {
	case c.IsInvoke():
		return s.methods[c.Method.Name()]
	case callee == nil, len(callee.Blocks) == 0 && takesFunc(c):
		return &s.values
	}
	return &p.summary(callee).loose
}

// loosen adds to the summary what calls of the function may lose.
func (f *Func) loosen() {
	out := &f.Summary.loose
	for _, b := range f.Fn.Blocks {
		for _, i := range b.Instrs {
			switch i := i.(type) {
			case *ssa.Call:
				out.addAll(f.prog.mayLose(&i.Call))
			case *ssa.Defer:
				out.addAll(f.prog.mayLose(&i.Call))
			}
		}
	}
	if slices.ContainsFunc(f.Fn.AnonFuncs, DefersForOuter) {
		out.any = true
		f.Summary.Acquires, f.Summary.Try = nil, nil
	}
}

// DefersForOuter reports whether fn is, or has inside, the body of a range-over-func
// statement that defers calls until the function around it ends.
func DefersForOuter(fn *ssa.Function) bool {
	for _, b := range fn.Blocks {
		for _, i := range b.Instrs {
			if d, ok := i.(*ssa.Defer); ok && d.DeferStack != nil {
				return true
			}
		}
	}
	return slices.ContainsFunc(fn.AnonFuncs, DefersForOuter)
}

// lose takes from s what the call may release.
func (f *Func) lose(s *state, c *ssa.CallCommon) {
	if may := f.prog.mayLose(c); may != nil && !may.empty() {
		s.held = s.held.filter(func(h Held) bool { return may.keeps(h.Lock) })
	}
}

// losing reports whether i is a call that may release any lock at all besides those of its
// summary.
func (f *Func) losing(i ssa.Instruction) bool {
	c, ok := i.(ssa.CallInstruction)
	if !ok || f.prog.sound == nil {
		return false
	}
	if _, spawned := i.(*ssa.Go); spawned {
		return false
	}
	may := f.prog.mayLose(c.Common())
	return may != nil && !may.empty()
}

// Throughout returns which of the locks that are held before a call are also held at any time
// during the call.
func (f *Func) Throughout(c *ssa.CallCommon, held Set) Set {
	f.prog.mu.Lock()
	defer f.prog.mu.Unlock()
	s := state{held: held}
	if f.prog.sound != nil {
		f.lose(&s, c)
	}
	f.handOver(&s, c)
	return s.held
}

// abrupt takes into account that deferred calls also run when a call does not return: it has
// panicked, or ended the goroutine. The body of a range-over-func statement defers until
// the function around it ends, of which nothing is known.
func (f *Func) abrupt() {
	for d := range f.atRun {
		if d.DeferStack != nil {
			f.atRun[d] = nil
		}
	}
	if len(f.defers) == 0 {
		return
	}
	o := deferredOnly{f}
	for b, s := range f.before {
		for _, i := range b.Instrs {
			if c := mayNotReturn(i); c != nil && s.may != 0 {
				left := s
				f.lose(&left, c)
				f.handOver(&left, c)
				f.runDefers(&left, o)
			}
			f.step(&s, i, nil)
		}
	}
}

// mayNotReturn returns the call if i is one that may not return.
func mayNotReturn(i ssa.Instruction) *ssa.CallCommon {
	c, ok := i.(*ssa.Call)
	if !ok {
		return nil
	}
	if _, builtin := c.Call.Value.(*ssa.Builtin); builtin {
		return nil
	}
	if op, _, ok := syncop.OfCall(&c.Call); ok && (op.Kind.IsAcquire() || op.Kind.IsRelease()) {
		return nil
	}
	return &c.Call
}

// deferredOnly notes what is held when deferred calls run.
type deferredOnly struct{ f *Func }

func (deferredOnly) acquire(ssa.CallInstruction, syncop.Kind, Held, Set) {}
func (deferredOnly) release(Path, Set)                                   {}

func (o deferredOnly) deferred(d *ssa.Defer, held Set) {
	if old, ok := o.f.atRun[d]; ok {
		held = old.meet(held)
	}
	o.f.atRun[d] = held
}
