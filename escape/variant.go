package escape

import (
	"errors"
	"go/types"

	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/go/ssa/ssautil"
)

// For the tests of a package, Go compiles the packages that import it anew, if the tests
// import those: a program has several variants of one package then, which are the same
// source. Only some of them have bodies here, the package itself and its own tests. What
// is said of the others is said of one that has: operands of instructions that are functions
// or variables of a variant are replaced. So one function and one variable stand for those of
// all variants, which may only be said too much of.

// errVariant says that a function of a variant has no body in any.
var errVariant = errors.New("a generic function of a package that is compiled anew for a test has no body")

// variants knows, for each import path, the packages that are analysed; nil if each package of
// the program is there once.
type variants struct {
	prog *ssa.Program
	home map[string][]*ssa.Package
	// instances are the instances of generic functions that have bodies, by their names.
	instances map[string]*ssa.Function
	keys      map[string]int // of types, by their names
}

// newVariants returns the variants of a program that consists of pkgs and packages that are
// not analysed.
func newVariants(prog *ssa.Program, pkgs []*ssa.Package) *variants {
	v := &variants{prog: prog, home: make(map[string][]*ssa.Package), instances: make(map[string]*ssa.Function), keys: make(map[string]int)}
	opened := make(map[*ssa.Package]bool)
	for _, p := range pkgs {
		opened[p] = true
		v.home[p.Pkg.Path()] = append(v.home[p.Pkg.Path()], p)
	}
	for _, p := range prog.AllPackages() {
		if !opened[p] && v.home[p.Pkg.Path()] != nil {
			return v
		}
	}
	return nil
}

// functions returns all functions of the program that have bodies, with operands that have
// some, too, where there are any.
func (v *variants) functions(prog *ssa.Program) []*ssa.Function {
	var fns []*ssa.Function
	for before := -1; before != len(fns); {
		before = len(fns)
		fns = nil
		for fn := range ssautil.AllFunctions(prog) {
			if len(fn.Blocks) == 0 {
				continue
			}
			fns = append(fns, fn)
			if v != nil && fn.Origin() != nil {
				v.instances[fn.String()] = fn
			}
		}
		if v == nil {
			break
		}
		for _, fn := range fns { // which may use others
			v.settle(fn)
		}
	}
	return fns
}

// settle replaces the operands of fn's instructions.
func (v *variants) settle(fn *ssa.Function) {
	if v == nil {
		return
	}
	var operands []*ssa.Value
	for _, b := range fn.Blocks {
		for _, i := range b.Instrs {
			for _, o := range i.Operands(operands[:0]) {
				switch x := (*o).(type) {
				case *ssa.Function:
					*o = v.function(x)
				case *ssa.Global:
					*o = v.variable(x)
				}
			}
		}
	}
}

// variable returns the variable that stands for g.
func (v *variants) variable(g *ssa.Global) *ssa.Global {
	if v == nil || g.Pkg == nil {
		return g
	}
	for _, p := range v.home[g.Pkg.Pkg.Path()] {
		if h := p.Var(g.Name()); h != nil {
			return h
		}
	}
	return g
}

// function returns fn, or if it has no body one that has, of another variant.
func (v *variants) function(fn *ssa.Function) *ssa.Function {
	if v == nil || len(fn.Blocks) > 0 {
		return fn
	}
	pkg := fn.Pkg
	if o := fn.Origin(); o != nil {
		pkg = o.Pkg
	}
	if pkg == nil || v.home[pkg.Pkg.Path()] == nil {
		return fn
	}
	if fn.Origin() != nil {
		if g := v.instances[fn.String()]; g != nil {
			return g
		}
		panic(errVariant)
	}
	for _, p := range v.home[pkg.Pkg.Path()] {
		if g := declared(v.prog, p, fn); g != nil && len(g.Blocks) > 0 {
			return g
		}
	}
	return fn // in assembly
}

// method returns the method that a selection stands for; nil if it is abstract.
func (v *variants) method(prog *ssa.Program, sel *types.Selection) *ssa.Function {
	fn := prog.MethodValue(sel)
	if fn == nil || v == nil {
		return fn
	}
	fn = v.function(fn)
	if fn.Synthetic != "" {
		v.settle(fn) // it may just have been made
	}
	return fn
}

// declared returns the function or method of p that is called like fn; nil if there is none.
func declared(prog *ssa.Program, p *ssa.Package, fn *ssa.Function) *ssa.Function {
	recv := fn.Signature.Recv()
	if recv == nil {
		return p.Func(fn.Name())
	}
	t := types.Unalias(recv.Type())
	if ptr, ok := t.(*types.Pointer); ok {
		t = types.Unalias(ptr.Elem())
	}
	n, ok := t.(*types.Named)
	if !ok {
		return nil
	}
	home, ok := p.Pkg.Scope().Lookup(n.Obj().Name()).(*types.TypeName)
	if !ok {
		return nil
	}
	named, ok := types.Unalias(home.Type()).(*types.Named)
	if !ok {
		return nil
	}
	for i := range named.NumMethods() {
		if m := named.Method(i); m.Name() == fn.Name() {
			return prog.FuncValue(m)
		}
	}
	return nil
}

// typeKey is engine.typeKey for a program with variants, of which a type has several, too.
func (v *variants) typeKey(t types.Type) int {
	name := types.TypeString(t, nil)
	if _, ok := v.keys[name]; !ok {
		v.keys[name] = 1000 + len(v.keys)
	}
	return v.keys[name]
}
