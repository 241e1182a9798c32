package access

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/coopvet/coop/escape/lockset"
)

// Memory that has no name in the source, as the last step of a Path.
const (
	// Spare is the capacity of a slice behind its length, to which append writes.
	Spare = "[+]"
	// Iterator is the state behind the functions of an iter.Pull, which they change.
	Iterator = "[next]"
)

// hidden knows the fields and package-level variables of a package that only ever hold
// slices with spare capacity, or functions of iter.Pull.
type hidden struct {
	spare, pulled map[lockset.Class]bool
}

// findHidden looks at all values that the functions store in fields and package-level variables.
func findHidden(fns []*ssa.Function) *hidden {
	h := &hidden{make(map[lockset.Class]bool), make(map[lockset.Class]bool)}
	other := make(map[lockset.Class]bool) // holds something else than functions of iter.Pull, too
	for _, fn := range fns {
		for _, b := range fn.Blocks {
			for _, i := range b.Instrs {
				store, ok := i.(*ssa.Store)
				if !ok {
					continue
				}
				class := lockset.ClassOf(lockset.PathOf(store.Addr))
				switch {
				case class == "":
				case hasSpare(store.Val):
					h.spare[class] = true
				case isPulled(store.Val):
					h.pulled[class] = true
				default:
					other[class] = true
				}
			}
		}
	}
	for class := range other {
		delete(h.pulled, class)
	}
	return h
}

// hasSpare tells whether v is a slice that is made with spare capacity, or grown by append,
// which mostly leaves some.
func hasSpare(v ssa.Value) bool {
	switch v := v.(type) {
	case *ssa.MakeSlice:
		return v.Len != v.Cap
	case *ssa.Slice:
		if v.Max != nil || v.High == nil {
			return false
		}
		high, constant := v.High.(*ssa.Const)
		if p, ok := v.X.Type().Underlying().(*types.Pointer); ok {
			a, isArray := p.Elem().Underlying().(*types.Array)
			return isArray && constant && high.Int64() < a.Len()
		}
		return constant // s[:0]
	case *ssa.Call:
		b, ok := v.Call.Value.(*ssa.Builtin)
		return ok && b.Name() == "append"
	}
	return false
}

// isPulled tells whether v is a result of iter.Pull or iter.Pull2.
func isPulled(v ssa.Value) bool {
	e, ok := v.(*ssa.Extract)
	if !ok {
		return false
	}
	call, ok := e.Tuple.(*ssa.Call)
	if !ok {
		return false
	}
	fn := call.Call.StaticCallee()
	if fn == nil {
		return false
	}
	if o := fn.Origin(); o != nil {
		fn = o
	}
	name := fn.RelString(nil)
	return name == "iter.Pull" || name == "iter.Pull2"
}

// growing returns the path of the spare capacity that an append to the slice s may write to;
// ok is false if it is not known to have any.
func (p *Program) growing(s ssa.Value) (path lockset.Path, ok bool) {
	path = lockset.PathOf(s)
	if !hasSpare(origin(s)) && !p.holds(path, p.hidden().spare) {
		return lockset.Path{}, false
	}
	return path.Join(Spare), true
}

// pulling returns the path of the iterator that a call of the function value f advances.
func (p *Program) pulling(f ssa.Value) (path lockset.Path, ok bool) {
	switch f.(type) {
	case *ssa.Function, *ssa.MakeClosure, *ssa.Builtin:
		return lockset.Path{}, false
	}
	path = lockset.PathOf(f)
	if !isPulled(origin(f)) && !p.holds(path, p.hidden().pulled) {
		return lockset.Path{}, false
	}
	return path.Join(Iterator), true
}

// holds tells whether path is what one of the fields or variables of the given classes holds.
func (p *Program) holds(path lockset.Path, classes map[lockset.Class]bool) bool {
	n := len(path.Sel) - 1
	if n < 0 || path.Sel[n] != '*' {
		return false
	}
	path.Sel = path.Sel[:n]
	class := lockset.ClassOf(path)
	return class != "" && classes[class]
}

// origin returns the value that v always is, seen through variables, also captured ones, that
// are set once.
func origin(v ssa.Value) ssa.Value {
	for range 5 {
		p := lockset.PathOf(v)
		fv, ok := p.Root.(*ssa.FreeVar)
		switch {
		case p.Sel == "" && p.Root != v:
			v = p.Root
		case ok && p.Sel == "*":
			w := captured(fv)
			if w == nil {
				return v
			}
			v = w
		default:
			return v
		}
	}
	return v
}

// captured returns the value of the captured variable if it is set once; nil if not, or if
// there are several places at which the function literal is made.
func captured(fv *ssa.FreeVar) ssa.Value {
	fn := fv.Parent()
	var bound ssa.Value
	for _, b := range fn.Parent().Blocks {
		for _, i := range b.Instrs {
			mc, ok := i.(*ssa.MakeClosure)
			if !ok || mc.Fn != ssa.Value(fn) {
				continue
			}
			if bound != nil {
				return nil
			}
			for n := range fn.FreeVars {
				if fn.FreeVars[n] == fv {
					bound = mc.Bindings[n]
				}
			}
		}
	}
	if bound == nil {
		return nil
	}
	if outer, ok := bound.(*ssa.FreeVar); ok {
		return captured(outer)
	}
	if p := (lockset.Path{Root: bound}).Join("*"); p.Sel == "" {
		return p.Root
	}
	return nil
}
