package lockset

import (
	"cmp"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// Summary is what a call of a function does to the locks that are held.
type Summary struct {
	// Releases are locks that the function may release although it has not acquired
	// them: it expects them to be held when it is called.
	Releases []Ref
	// Acquires are locks that are held when the function returns, on all paths.
	Acquires []Acquired
	// Try is the lock that is held if the function's result is true; nil: there is none.
	Try *Acquired

	loose fields // of a Program of NewSound: locks that calls of unknown functions may release
}

// Acquired is a lock that a function has acquired for its caller.
type Acquired struct {
	Ref     Ref
	Reading bool
	Dynamic bool
}

// From says where a Ref starts.
type From uint8

const (
	Param   From = iota // parameter number Index; a method's receiver is number 0
	FreeVar             // captured variable number Index
	Result              // result number Index
	Global              // package-level variable
)

// Ref is a path as the callers of a function see it.
type Ref struct {
	From  From
	Index int
	// Global is the variable, whose package may not be loaded, for From Global.
	Global Class
	Sel    string

	global *ssa.Global
}

// Refer translates a path of fn for its callers; ok is false if they cannot name it.
func Refer(fn *ssa.Function, p Path) (r Ref, ok bool) {
	if p.variableIndex() {
		return Ref{}, false
	}
	switch v := p.Root.(type) {
	case *ssa.Parameter:
		if i := slices.Index(fn.Params, v); i >= 0 {
			return Ref{From: Param, Index: i, Sel: p.Sel}, true
		}
	case *ssa.FreeVar:
		if i := slices.Index(fn.FreeVars, v); i >= 0 {
			return Ref{From: FreeVar, Index: i, Sel: p.Sel}, true
		}
	case *ssa.Global:
		return Ref{From: Global, Global: rootClass(v), Sel: p.Sel, global: v}, true
	}
	return Ref{}, false
}

// In translates a Ref of a callee into a path of its caller.
func (r Ref) In(args, bindings []ssa.Value, result ssa.Value) (Path, bool) {
	switch {
	case r.From == Param && r.Index < len(args):
		return PathOf(args[r.Index]).Join(r.Sel), true
	case r.From == FreeVar && r.Index < len(bindings):
		return PathOf(bindings[r.Index]).Join(r.Sel), true
	case r.From == Global && r.global != nil:
		return Path{r.global, r.Sel}, true
	case r.From == Result && result != nil:
		if _, tuple := result.Type().(*types.Tuple); !tuple {
			return Path{result, r.Sel}, true
		}
		for _, u := range *result.Referrers() {
			if e, ok := u.(*ssa.Extract); ok && e.Index == r.Index {
				return Path{e, r.Sel}, true
			}
		}
	}
	return Path{}, false
}

// summarise derives the summary from the function's returns.
func (f *Func) summarise() {
	if len(f.Returns) == 0 {
		return
	}
	var all []Acquired
	for n, ret := range f.Returns {
		here := acquiredAt(f.Fn, ret)
		if n == 0 {
			all = here
			continue
		}
		all = slices.DeleteFunc(all, func(a Acquired) bool {
			return !slices.ContainsFunc(here, func(b Acquired) bool { return b.Ref == a.Ref && b.Reading == a.Reading })
		})
	}
	f.Summary.Acquires = all
	f.Summary.Try = f.tryResult()
}

// Releases reports whether the function releases the lock for its caller, who holds it when
// it is called.
func (f *Func) Releases(lock Path) bool {
	ref, ok := Refer(f.Fn, lock)
	ref.global = nil
	return ok && slices.ContainsFunc(f.Summary.Releases, func(r Ref) bool {
		r.global = nil
		return r == ref
	})
}

// acquiredAt lists what is held at a return in terms of the caller.
func acquiredAt(fn *ssa.Function, ret Return) []Acquired {
	var out []Acquired
	for _, h := range ret.Held {
		if r, ok := Refer(fn, h.Lock); ok {
			out = append(out, Acquired{r, h.Reading, h.Dynamic})
		}
		for i, v := range ret.Instr.Results {
			p := PathOf(v)
			if _, param := p.Root.(*ssa.Parameter); param {
				continue
			}
			if sel, ok := strings.CutPrefix(h.Lock.Sel, p.Sel); ok && h.Lock.Root == p.Root && isReference(v) && !h.Lock.variableIndex() {
				out = append(out, Acquired{Ref{From: Result, Index: i, Sel: sel}, h.Reading, h.Dynamic})
			}
		}
	}
	return out
}

func isReference(v ssa.Value) bool {
	_, ok := v.Type().Underlying().(*types.Pointer)
	return ok
}

// tryResult recognises wrappers of TryLock: every return gives its result away.
func (f *Func) tryResult() *Acquired {
	var try *Acquired
	for _, ret := range f.Returns {
		if len(ret.Instr.Results) != 1 {
			return nil
		}
		call, ok := ret.Instr.Results[0].(*ssa.Call)
		if !ok {
			return nil
		}
		var here *Acquired
		for _, e := range f.effects(&call.Call, call) {
			if r, ok := Refer(f.Fn, e.lock.Lock); ok && e.kind.IsTry() {
				here = &Acquired{r, e.lock.Reading, e.lock.Dynamic}
			}
		}
		if here == nil || try != nil && *try != *here {
			return nil
		}
		try = here
	}
	return try
}

func sortRefs(refs []Ref) {
	slices.SortFunc(refs, func(a, b Ref) int {
		return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.Index, b.Index), cmp.Compare(a.Global, b.Global), cmp.Compare(a.Sel, b.Sel))
	})
}

// mayCall reports whether a value of type t may have functions inside that a callee
// can call: it is a function or an interface.
func mayCall(t types.Type) bool {
	switch t.Underlying().(type) {
	case *types.Signature, *types.Interface:
		return true
	}
	return false
}
