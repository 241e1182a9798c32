package escape

import (
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/go/types/typeutil"
)

// Values inside of others. What the library is given as an interface it may look into by
// reflection: it calls methods of what it finds there, such as String, and of what it makes
// itself of the types that it finds, such as UnmarshalJSON. So these are called of all that
// there may be, in exported fields, as elements, or where pointers lead to. The calls belong
// to the one that looks: while its object is not known, its callers will see what is inside.

// depth says how far a call looks into its object.
type depth uint8

const (
	surface depth = iota // not at all
	shallow              // into all but what pointers inside lead to
	bottom               // into all
)

// depthOf returns how far calls of a function look into arguments that may be anything.
func depthOf(f *types.Func) depth {
	if f != nil && f.Pkg() != nil {
		switch f.Pkg().Path() {
		case "fmt", "log", "testing":
			return shallow
		case "sort", "container/list", "container/heap", "container/ring", "sync", "sync/atomic", "context":
			return surface
		}
	}
	return bottom
}

// ofType tells the calls of methods of what is inside from others.
type ofType struct{ key int }

// ofErrors tells the calls of methods of errors that other errors have in them.
type ofErrors struct{}

// lookInside adds the calls of methods of what is inside of the object l of the type t.
func (e *engine) lookInside(p *pending, l *loc, t types.Type) {
	if p.depth == surface {
		return
	}
	v := receiver(l, t)
	if ptr, ok := t.Underlying().(*types.Pointer); ok {
		v = value{e.deref(v.loc), ptr.Elem()}
	}
	switch t := v.typ.Underlying().(type) {
	case *types.Struct:
		for i := range t.NumFields() {
			if f := t.Field(i); visible(f) {
				e.part(p, value{e.field(v.loc, i), f.Type()})
			}
		}
	case *types.Array:
		e.part(p, value{e.field(v.loc, elem), t.Elem()})
	case *types.Slice:
		e.part(p, value{e.deref(v.loc), t.Elem()})
	case *types.Map:
		e.part(p, value{e.field(e.deref(v.loc), mapKey), t.Key()})
		e.part(p, value{e.field(e.deref(v.loc), mapValue), t.Elem()})
	case *types.Pointer, *types.Interface:
		e.part(p, v)
	}
}

// visible reports whether reflection gives access to the field, or to fields of it.
func visible(f *types.Var) bool { return f.Exported() || f.Embedded() }

// part adds the calls of methods of v, which is inside of p's object, and of what is
// inside of it.
func (e *engine) part(p *pending, v value) {
	if !e.interesting(v.typ) {
		return
	}
	q := &pending{methods: reflected, by: ofType{e.typeKey(v.typ)}, sig: p.sig, site: p.site, instr: p.instr, depth: p.depth, within: p}
	switch v.typ.Underlying().(type) {
	case *types.Interface:
		q.fn = e.deref(v.loc)
	case *types.Pointer:
		q.fn = e.deref(v.loc)
		q.fn.addType(v.typ)
		if q.depth == shallow {
			q.depth = surface
		}
	default: // if it has no address, it is copied to where it has
		q.fn = v.loc.find()
		q.fn.addType(types.NewPointer(v.typ))
	}
	e.unify(e.field(q.fn, inside), e.field(p.fn, inside)) // what its methods return
	if !q.fn.find().escaped {                             // otherwise unknown code calls them
		e.addPending(p.site.frame, q)
	}
}

// wrapped adds the calls of methods of the errors and the like that an object of a type has in
// it of which the methods are not analysed.
func (e *engine) wrapped(p *pending, l *loc, t types.Type) {
	v := receiver(l, t)
	if ptr, ok := t.Underlying().(*types.Pointer); ok {
		v, t = value{e.deref(v.loc), ptr.Elem()}, ptr.Elem()
	}
	n, ok := types.Unalias(t).(*types.Named)
	st, isStruct := t.Underlying().(*types.Struct)
	if !ok || !isStruct || e.mayHaveBodies(n) {
		return
	}
	for i := range st.NumFields() {
		if f := st.Field(i); f.Exported() && types.IsInterface(f.Type()) {
			e.callsOf(p, e.deref(e.field(v.loc, i)), conventional, ofErrors{})
		}
	}
}

// returning adds the calls of methods of what a method of p's object returns.
func (e *engine) returning(p *pending, method *ssa.Function) {
	for r := range method.Signature.Results().Variables() {
		t := r.Type()
		if s, ok := t.Underlying().(*types.Slice); ok {
			t = s.Elem()
		}
		n, ok := types.Unalias(t).(*types.Named)
		if !ok || !types.IsInterface(n) {
			continue
		}
		fn := e.deref(e.field(p.fn, inside))
		if pkg := n.Obj().Pkg(); pkg != nil {
			e.callsOf(p, fn, e.optional(pkg), pkg)
		} else if method.Name() == "Unwrap" {
			e.callsOf(p, fn, conventional, ofErrors{})
		}
	}
}

// optional returns the methods that the library may call of an object of which it gets an
// interface of the package: it asks for others of the package, too.
func (e *engine) optional(pkg *types.Package) func(*types.Func) bool {
	known := e.interfaces(pkg)
	return func(f *types.Func) bool { return conventional(f) || known[f.Name()] }
}

// callsOf adds the calls of methods of l, which p's object leads to.
func (e *engine) callsOf(p *pending, l *loc, methods func(*types.Func) bool, by any) {
	if !l.escaped { // otherwise unknown code calls them
		e.addPending(p.site.frame, &pending{fn: l, methods: methods, by: by, sig: p.sig, site: p.site, instr: p.instr, within: p})
	}
}

// reflected reports whether a method is one that the library calls of what it finds by
// reflection.
func reflected(f *types.Func) bool {
	switch f.Name() {
	case "String", "Error", "GoString", "Format", "IsZero":
		return true
	}
	return strings.HasPrefix(f.Name(), "Marshal") || strings.HasPrefix(f.Name(), "Unmarshal")
}

// interesting reports whether values of a type, or what is inside of them, may have such
// methods.
func (e *engine) interesting(whole types.Type) bool {
	if known, ok := e.reflective.At(whole).(bool); ok {
		return known
	}
	var seen typeutil.Map
	work := []types.Type{whole}
	add := func(t types.Type) { work = append(work, t) }
	for len(work) > 0 {
		t := work[len(work)-1]
		work = work[:len(work)-1]
		if seen.Set(t, true) != nil {
			continue
		}
		if known, ok := e.reflective.At(t).(bool); known || types.IsInterface(t) || !ok && e.isReflected(t) {
			e.reflective.Set(whole, true)
			return true
		}
		components(t, visible, add)
	}
	seen.Iterate(func(t types.Type, _ any) { e.reflective.Set(t, false) })
	return false
}

// isReflected reports whether a type has a method that is analysed and called by reflection.
func (e *engine) isReflected(t types.Type) bool {
	if _, ok := types.Unalias(t).(*types.Named); !ok {
		return false
	}
	set := e.prog.MethodSets.MethodSet(types.NewPointer(t))
	for i := range set.Len() {
		if m, ok := set.At(i).Obj().(*types.Func); ok && reflected(m) {
			if fn := e.variants.method(e.prog, set.At(i)); fn != nil && e.hasBody(fn) {
				return true
			}
		}
	}
	return false
}

// components gives add the types of which values of type t consist, or to which they lead.
// Of a struct it takes the fields for which is is true.
func components(t types.Type, is func(*types.Var) bool, add func(types.Type)) {
	switch t := t.Underlying().(type) {
	case *types.Struct:
		for f := range t.Fields() {
			if is(f) {
				add(f.Type())
			}
		}
	case *types.Map:
		add(t.Key())
		add(t.Elem())
	case interface{ Elem() types.Type }: // arrays, slices, pointers and channels
		add(t.Elem())
	}
}
