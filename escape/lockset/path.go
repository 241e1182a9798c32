package lockset

import (
	"cmp"
	"go/constant"
	"go/token"
	"go/types"
	"regexp"
	"strconv"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/coopvet/coop/escape/syncop"
)

// Path names a location, such as a lock: start at Root and follow Sel. Root is a
// parameter, a captured variable, a package-level variable, a local variable, or any
// other value of one function; while it lasts, two equal Paths are one location, if
// none of the pointers on the way, of which there is one for every * in Sel, has been
// changed in between.
//
// The selectors are .f for field f, [i] for an element, where i is a constant or the
// name of a value, and * for the step from a pointer that is itself in memory to what
// it points to. Of (*c.parent).shards[3].mu, where c is a parameter, Sel is
// ".parent*.shards[3].mu". The pointer Root is followed without a star.
type Path struct {
	Root ssa.Value
	Sel  string
}

const maxSel = 120 // bytes; longer paths are cut off at a value

// PathOf returns the path of what the pointer, map, channel or interface v points to.
func PathOf(v ssa.Value) Path { return pathOf(v, 0) }

func pathOf(v ssa.Value, depth int) Path {
	if depth > 20 {
		return Path{Root: v}
	}
	sub := func(x ssa.Value, sel string) Path {
		p := pathOf(x, depth+1)
		if len(p.Sel)+len(sel) > maxSel {
			return Path{Root: v}
		}
		return Path{p.Root, p.Sel + sel}
	}
	switch v := v.(type) {
	case *ssa.FieldAddr:
		return sub(v.X, "."+fieldOf(v).Name())
	case *ssa.IndexAddr:
		return sub(v.X, "["+indexName(v.Index)+"]")
	case *ssa.UnOp:
		if v.Op == token.MUL {
			if w := onlyValue(v.X); w != nil {
				return pathOf(w, depth+1)
			}
			return sub(v.X, "*")
		}
	case *ssa.ChangeType:
		return sub(v.X, "")
	case *ssa.ChangeInterface:
		return sub(v.X, "")
	case *ssa.MakeInterface:
		if _, ok := v.X.Type().Underlying().(*types.Pointer); ok {
			return sub(v.X, "")
		}
	}
	return Path{Root: v}
}

func fieldOf(v *ssa.FieldAddr) *types.Var {
	p := v.X.Type().Underlying().(*types.Pointer)
	return coreStruct(p.Elem()).Field(v.Field)
}

func coreStruct(t types.Type) *types.Struct {
	if s, ok := t.Underlying().(*types.Struct); ok {
		return s
	}
	// A type parameter, in code that is not instantiated.
	if i, ok := t.Underlying().(*types.Interface); ok {
		for j := range i.NumEmbeddeds() {
			e := i.EmbeddedType(j)
			if u, ok := e.(*types.Union); ok && u.Len() > 0 {
				e = u.Term(0).Type()
			}
			if s := coreStruct(e); s != nil {
				return s
			}
		}
	}
	return nil
}

func indexName(v ssa.Value) string {
	if c, ok := v.(*ssa.Const); ok && c.Value != nil && c.Value.Kind() == constant.Int {
		return c.Value.ExactString()
	}
	return v.Name()
}

// onlyValue returns the value of the variable at addr if it is set just once, where it
// is declared, so that every load has that value; nil if this is not known. Parameters
// that a function literal captures are such variables.
func onlyValue(addr ssa.Value) ssa.Value {
	a, ok := addr.(*ssa.Alloc)
	if !ok {
		return nil
	}
	var value ssa.Value
	var store *ssa.Store
	for _, r := range *a.Referrers() {
		switch r := r.(type) {
		case *ssa.Store:
			if r.Addr != a || store != nil {
				return nil
			}
			store, value = r, r.Val
		case *ssa.UnOp, *ssa.DebugRef:
		case *ssa.MakeClosure:
			if !capturedUnchanged(r, a) {
				return nil
			}
		default:
			return nil
		}
	}
	// The store comes with the declaration, not in another iteration or branch.
	if store == nil || store.Block() != a.Block() {
		return nil
	}
	return value
}

// capturedUnchanged reports whether the function literal only reads the variable a.
func capturedUnchanged(c *ssa.MakeClosure, a ssa.Value) bool {
	fn := c.Fn.(*ssa.Function)
	for i, b := range c.Bindings {
		if b == a && !onlyRead(fn.FreeVars[i]) {
			return false
		}
	}
	return true
}

func onlyRead(v *ssa.FreeVar) bool {
	for _, r := range *v.Referrers() {
		switch r := r.(type) {
		case *ssa.UnOp, *ssa.DebugRef:
		case *ssa.MakeClosure:
			if !capturedUnchanged(r, v) {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// Join returns the path that starts where p ends.
func (p Path) Join(sel string) Path {
	// A captured variable is reached through its address: *a is its value.
	if strings.HasPrefix(sel, "*") && p.Sel == "" {
		if w := onlyValue(p.Root); w != nil {
			q := PathOf(w)
			return q.Join(sel[1:])
		}
	}
	return Path{p.Root, p.Sel + sel}
}

// Steps splits Sel into its selectors.
func (p Path) Steps() []string {
	var steps []string
	start := 0
	for i := 1; i <= len(p.Sel); i++ {
		if i == len(p.Sel) || strings.IndexByte(".[*", p.Sel[i]) >= 0 {
			steps = append(steps, p.Sel[start:i])
			start = i
		}
	}
	return steps
}

// Field is the last field name of the path, "" if it has none.
func (p Path) Field() string {
	i := strings.LastIndexByte(p.Sel, '.')
	if i < 0 {
		return ""
	}
	f := p.Sel[i+1:]
	if j := strings.IndexAny(f, "[*"); j >= 0 {
		f = f[:j]
	}
	return f
}

// Constant reports whether the path goes through no memory that may change: it has no
// pointer on the way, and no element with a variable index.
func (p Path) Constant() bool {
	return !strings.Contains(p.Sel, "*") && !p.variableIndex()
}

// variableIndex reports whether the path has an index that is no constant.
func (p Path) variableIndex() bool {
	for i := range len(p.Sel) - 1 {
		if p.Sel[i] == '[' && (p.Sel[i+1] < '0' || p.Sel[i+1] > '9') && p.Sel[i+1] != '-' {
			return true
		}
	}
	return false
}

// String describes the path as source text would, roughly.
func (p Path) String() string {
	name := p.Root.Name()
	switch r := p.Root.(type) {
	case *ssa.Alloc:
		if r.Comment != "" && !strings.Contains(r.Comment, " ") {
			name = r.Comment
		}
	case *ssa.Global:
		name = r.Pkg.Pkg.Name() + "." + r.Name()
	case *ssa.Parameter, *ssa.FreeVar:
	default:
		// Its own name means nothing to people.
		if n := cmp.Or(variableName(r), typeName(r.Type())); n != "" {
			name = n
		}
	}
	return name + register.ReplaceAllString(strings.ReplaceAll(p.Sel, "*", ""), "[...]")
}

// register is an index without a name in the source.
var register = regexp.MustCompile(`\[t\d+\]`)

// variableName is the name of the variable that is set to v; "" if there is none.
func variableName(v ssa.Value) string {
	if v.Referrers() == nil {
		return ""
	}
	for _, r := range *v.Referrers() {
		s, ok := r.(*ssa.Store)
		if !ok || s.Val != v {
			continue
		}
		if a, ok := s.Addr.(*ssa.Alloc); ok && a.Comment != "" && !strings.Contains(a.Comment, " ") {
			return a.Comment
		}
	}
	return ""
}

// typeName is the name of the type t or that it points to; "" if it has none.
func typeName(t types.Type) string {
	if p, ok := types.Unalias(t).(*types.Pointer); ok {
		t = p.Elem()
	}
	if n, ok := types.Unalias(t).(*types.Named); ok {
		return n.Obj().Name()
	}
	return ""
}

// Class names a kind of locks: all those that are the same field of the same struct
// type, or the same variable. It is what a lock order is about, and the same string in
// every package.
type Class string

// ClassOf returns the class of the lock, or other location, at p; "" if it has none,
// as an element of a slice of locks.
func ClassOf(p Path) Class {
	steps := p.Steps()
	t := p.Root.Type()
	if ptr, ok := t.Underlying().(*types.Pointer); ok {
		t = ptr.Elem()
	}
	class := rootClass(p.Root)
	for _, s := range steps {
		switch s[0] {
		case '.':
			st := coreStruct(t)
			f := fieldNamed(st, s[1:])
			if f == nil {
				return ""
			}
			if class == "" || !isWrapper(st) {
				class = fieldClass(t, class, f)
			}
			t = f.Type()
		case '[':
			class = ""
			t = element(t)
		case '*':
			class = ""
			if ptr, ok := t.Underlying().(*types.Pointer); ok {
				t = ptr.Elem()
			}
		}
		if t == nil {
			return ""
		}
	}
	return class
}

// isWrapper tells whether the struct is a lock with other methods, as packages have that can
// be switched to locks that detect deadlocks. Its class is that of the variable or field that holds it:
// the one of its own field would be that of most locks of the program.
func isWrapper(s *types.Struct) bool {
	if s.NumFields() != 1 {
		return false
	}
	n, ok := types.Unalias(s.Field(0).Type()).(*types.Named)
	if !ok || n.Obj().Pkg() == nil {
		return false
	}
	if n.Obj().Pkg().Path() == "sync" {
		return n.Obj().Name() == "Mutex" || n.Obj().Name() == "RWMutex"
	}
	inner, ok := n.Underlying().(*types.Struct)
	return ok && isWrapper(inner)
}

func rootClass(v ssa.Value) Class {
	switch v := v.(type) {
	case *ssa.Global:
		return Class(v.Pkg.Pkg.Path() + "." + v.Name())
	case *ssa.Alloc:
		// A local variable: told from others by its place.
		return Class(v.Parent().String() + ":" + v.Comment + "@" + strconv.Itoa(int(v.Pos())))
	}
	return ""
}

func fieldClass(t types.Type, outer Class, f *types.Var) Class {
	if n, ok := types.Unalias(t).(*types.Named); ok && n.Obj().Pkg() != nil {
		return Class(n.Obj().Pkg().Path() + "." + n.Obj().Name() + "." + f.Name())
	}
	if outer != "" {
		return outer + "." + Class(f.Name())
	}
	return ""
}

func fieldNamed(s *types.Struct, name string) *types.Var {
	if s == nil {
		return nil
	}
	for i := range s.NumFields() {
		if s.Field(i).Name() == name {
			return s.Field(i)
		}
	}
	return nil
}

func element(t types.Type) types.Type {
	switch t := t.Underlying().(type) {
	case *types.Slice:
		return t.Elem()
	case *types.Array:
		return t.Elem()
	case *types.Pointer:
		return element(t.Elem())
	}
	return nil
}

// lockPath is the path of the lock that an operation on v takes: of a pointer to a
// mutex, or of a sync.Locker. reading says that it is a Locker made by RWMutex.RLocker.
func lockPath(v ssa.Value) (p Path, reading bool) {
	for {
		switch x := v.(type) {
		case *ssa.MakeInterface:
			v = x.X
			continue
		case *ssa.Call:
			if op, args, ok := syncop.OfCall(&x.Call); ok && op.Kind == syncop.RLocker {
				return PathOf(args[0]), true
			}
		}
		return PathOf(v), false
	}
}

// Constant reports whether addr is the address of a local variable that is set just
// once, where it is declared, also if function literals capture it.
func Constant(addr ssa.Value) bool { return onlyValue(addr) != nil }
