package access

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/coopvet/coop/escape/lockset"
	"github.com/coopvet/coop/escape/syncop"
)

// A Target is a function that is called, with what it is called with.
type Target struct {
	Fn       *ssa.Function
	Args     []ssa.Value // nil at the places of unknown arguments
	Bindings []ssa.Value
}

// CalledBy returns the target of a static call.
func CalledBy(c *ssa.CallCommon) *Target {
	fn := c.StaticCallee()
	if fn == nil {
		return nil
	}
	t := &Target{Fn: fn, Args: c.Args}
	if m, ok := c.Value.(*ssa.MakeClosure); ok {
		t.Bindings = m.Bindings
		if bound := boundTarget(m); bound != nil {
			bound.Args = append(bound.Args, c.Args...)
			return bound
		}
	}
	return t
}

// TargetOf returns the function that the function value v is; nil if that is not known.
func TargetOf(v ssa.Value) *Target {
	switch v := v.(type) {
	case *ssa.Function:
		return &Target{Fn: v}
	case *ssa.MakeClosure:
		if bound := boundTarget(v); bound != nil {
			return bound
		}
		return &Target{Fn: v.Fn.(*ssa.Function), Bindings: v.Bindings}
	case *ssa.ChangeType:
		return TargetOf(v.X)
	}
	return nil
}

// boundTarget is the method of a method value.
func boundTarget(m *ssa.MakeClosure) *Target {
	obj := syncop.Bound(m.Fn.(*ssa.Function))
	if obj == nil || types.IsInterface(obj.Signature().Recv().Type()) {
		return nil
	}
	fn := m.Parent().Prog.FuncValue(obj)
	if fn == nil {
		return nil
	}
	return &Target{Fn: fn, Args: []ssa.Value{m.Bindings[0]}}
}

// In returns what a call of t at an instruction, with the given locks held, accesses, in the
// frame of the caller. Accesses that it cannot name are left out.
func (p *Program) In(t *Target, at ssa.Instruction, held lockset.Set) []Access {
	if f := p.fact(t.Fn); f != nil {
		return p.imported(f.Accesses, t, at, held)
	}
	return translated(p.Of(t.Fn).Accesses, t, held)
}

// translated returns accesses of t in the frame of the caller, who holds locks.
func translated(accesses []Access, t *Target, held lockset.Set) []Access {
	var out []Access
	for _, a := range accesses {
		if len(a.Calls) >= maxCalls {
			continue
		}
		path, ok := t.Translate(anyRound(a.Path))
		if !ok {
			continue
		}
		a.Path = path
		if a.Class == "" {
			a.Class, a.Part = classify(path)
		}
		locks := slices.Clone(held)
		for _, h := range a.Held {
			if h.Lock, ok = t.Translate(h.Lock); ok && !locks.Has(h.Lock) {
				locks = append(locks, h)
			}
		}
		a.Held = locks
		out = append(out, a)
	}
	return out
}

// Translate returns a path of the target in its caller's frame; ok is false if it has none.
func (t *Target) Translate(p lockset.Path) (path lockset.Path, ok bool) {
	var v ssa.Value
	switch root := p.Root.(type) {
	case *ssa.Global:
		return p, true
	case *ssa.Parameter:
		if i := slices.Index(t.Fn.Params, root); i >= 0 && i < len(t.Args) {
			v = t.Args[i]
		}
	case *ssa.FreeVar:
		if i := slices.Index(t.Fn.FreeVars, root); i >= 0 && i < len(t.Bindings) {
			v = t.Bindings[i]
		}
	}
	if v == nil || p.Sel == "" && !isReference(v.Type()) {
		return lockset.Path{}, false
	}
	return lockset.PathOf(v).Join(p.Sel), true
}

func isReference(t types.Type) bool {
	switch t.Underlying().(type) {
	case *types.Pointer, *types.Map, *types.Interface, *types.Slice:
		return true
	}
	return false
}
