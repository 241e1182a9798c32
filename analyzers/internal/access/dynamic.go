package access

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/coopvet/coop/escape/syncop"
)

// syncOfMethod returns by which means a method that is called through an interface may acquire
// and release: those of all methods that it may be, as far as the package knows types that
// implement the interface (class hierarchy).
func (p *Program) syncOfMethod(i ssa.CallInstruction) (acquire, release Sync) {
	c := i.Common()
	if asksContext(c.Method) {
		return syncOfContext(c.Method)
	}
	if harmless(c.Method) {
		return 0, 0
	}
	impls := p.implementations(c)
	if len(impls) == 0 {
		return syncUnknown, syncUnknown
	}
	for _, m := range impls {
		a, r := p.syncOfDeclared(i.Parent().Prog, m)
		acquire, release = acquire|a, release|r
	}
	return acquire, release
}

// syncOfDeclared returns that of one method.
func (p *Program) syncOfDeclared(prog *ssa.Program, m *types.Func) (acquire, release Sync) {
	if op, ok := syncop.Of(m); ok {
		return syncOfKind(op.Kind)
	}
	fn := prog.FuncValue(m)
	switch {
	case fn == nil:
	case len(fn.Blocks) > 0 && p.open[fn]:
		return 0, 0
	case len(fn.Blocks) > 0:
		s := p.Of(fn)
		return s.Before, s.After
	default:
		if f := p.fact(fn); f != nil {
			return f.Before, f.After
		}
	}
	return syncUnknown, syncUnknown
}

// asksContext tells whether the method is one of context.Context.
func asksContext(m *types.Func) bool { return m.Pkg() != nil && m.Pkg().Path() == "context" }

// syncOfContext is that of a method of context.Context: who learns that it is cancelled knows
// what has been done before.
func syncOfContext(m *types.Func) (acquire, release Sync) {
	if m.Name() == "Err" {
		return syncChan, 0
	}
	return 0, 0
}

// implementations returns the methods that the call through an interface may be, of the types of
// this package and of those that it imports. It returns none for interfaces of the standard
// library: their values come from anywhere.
func (p *Program) implementations(c *ssa.CallCommon) []*types.Func {
	if p.pass == nil || !p.known(c.Method.Pkg()) {
		return nil
	}
	if impls, ok := p.impls[c.Method]; ok {
		return impls
	}
	iface, ok := c.Value.Type().Underlying().(*types.Interface)
	if !ok {
		return nil
	}
	var impls []*types.Func
	for _, t := range p.typesWith(c.Method.Name()) {
		var recv types.Type = types.NewPointer(t)
		if !types.Implements(recv, iface) {
			continue
		}
		obj, _, _ := types.LookupFieldOrMethod(recv, false, c.Method.Pkg(), c.Method.Name())
		if m, ok := obj.(*types.Func); ok {
			impls = append(impls, m)
		}
	}
	p.impls[c.Method] = impls
	return impls
}

// known tells whether the package is this one or one that has facts.
func (p *Program) known(pkg *types.Package) bool {
	return pkg == p.pass.Pkg || p.pass.ImportPackageFact(pkg, new(knownFact))
}

// typesWith returns the types that have a method of the name, of this package and of those that
// it imports.
func (p *Program) typesWith(method string) []*types.Named {
	if p.methods == nil {
		p.methods = make(map[string][]*types.Named)
		p.noteTypes(p.pass.Pkg)
		for _, imported := range p.pass.Pkg.Imports() {
			p.noteTypes(imported)
		}
	}
	return p.methods[method]
}

func (p *Program) noteTypes(pkg *types.Package) {
	scope := pkg.Scope()
	for _, name := range scope.Names() {
		t, ok := scope.Lookup(name).(*types.TypeName)
		if !ok || t.IsAlias() {
			continue
		}
		named, ok := t.Type().(*types.Named)
		if !ok || types.IsInterface(named) || named.TypeParams().Len() > 0 {
			continue
		}
		for m := range types.NewMethodSet(types.NewPointer(named)).Methods() {
			p.methods[m.Obj().Name()] = append(p.methods[m.Obj().Name()], named)
		}
	}
}
