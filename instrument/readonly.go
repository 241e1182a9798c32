package instrument

import (
	"go/ast"
	"go/types"
	"slices"
)

// ReadOnly is a Classifier that knows which package-level variables are never assigned
// once the program is initialised: sentinel errors, tables, compiled expressions. Their
// reads are not visible. It has seen all the packages that are instrumented; what the
// others do to a variable is out of sight in any case.
type ReadOnly struct {
	assigned map[string]bool // by package path and name
}

// NewReadOnly returns a ReadOnly that has seen no packages.
func NewReadOnly() *ReadOnly { return &ReadOnly{assigned: map[string]bool{}} }

// Add notes which variables a package assigns, or gives away the address of. All
// packages are added before the first file is instrumented. info needs Types, Defs,
// Uses and Selections.
func (o *ReadOnly) Add(files []*ast.File, pkg *types.Package, info *types.Info) {
	for _, file := range files {
		l := findLocals(file, pkg, info, "")
		for v, u := range l.vars {
			later := func(m moment) bool { return !m.init }
			if isPackageLevel(v) && (u.address || slices.ContainsFunc(u.writes, later)) {
				o.assigned[variableKey(v)] = true
			}
		}
	}
}

// Visible reports whether the access is not one to a variable that is only read.
func (o *ReadOnly) Visible(a Access) bool {
	return a.Elements || a.Root == nil || !isPackageLevel(a.Root) || o.assigned[variableKey(a.Root)]
}

func isPackageLevel(v *types.Var) bool {
	return v.Pkg() != nil && v.Parent() == v.Pkg().Scope()
}

// variableKey identifies a variable that was type-checked more than once.
func variableKey(v *types.Var) string { return v.Pkg().Path() + "." + v.Name() }
