package instrument

import "go/types"

// core returns the underlying type of t; of a type parameter, the underlying type
// that all types of its constraint share, nil if they share none. No type has no core.
func core(t types.Type) types.Type {
	if t == nil {
		return nil
	}
	p, ok := types.Unalias(t).(*types.TypeParam)
	if !ok {
		return t.Underlying()
	}
	var u types.Type
	if !sameCore(p.Constraint().Underlying(), &u) {
		return nil
	}
	return u
}

// sameCore reports whether the types of a constraint have one underlying type at most,
// and sets u to it.
func sameCore(t types.Type, u *types.Type) bool {
	switch t := t.(type) {
	case *types.Interface:
		for i := range t.NumEmbeddeds() {
			if !sameCore(t.EmbeddedType(i), u) {
				return false
			}
		}
		return true
	case *types.Union:
		for i := range t.Len() {
			if !sameCore(t.Term(i).Type(), u) {
				return false
			}
		}
		return true
	default:
		v := t.Underlying()
		if i, ok := v.(*types.Interface); ok {
			return sameCore(i, u)
		}
		if *u == nil {
			*u = v
		}
		return types.Identical(*u, v)
	}
}

// pointee returns what the pointer type t points to; nil if t is no pointer.
func pointee(t types.Type) types.Type {
	if p, ok := core(t).(*types.Pointer); ok {
		return p.Elem()
	}
	return nil
}

func isArray(t types.Type) bool {
	_, ok := core(t).(*types.Array)
	return ok
}

func isMap(t types.Type) bool {
	_, ok := core(t).(*types.Map)
	return ok
}

// empty reports whether values of type t have no memory.
func empty(t types.Type) bool {
	switch t := t.Underlying().(type) {
	case *types.Struct:
		for i := range t.NumFields() {
			if !empty(t.Field(i).Type()) {
				return false
			}
		}
		return true
	case *types.Array:
		return t.Len() == 0 || empty(t.Elem())
	}
	return false
}
