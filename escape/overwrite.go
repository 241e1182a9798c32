package escape

import (
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// overwrite adds that i stores to l. Locks that are part of that are new ones then: nobody holds
// them any more, what a Once has run it runs again, and a WaitGroup waits for nobody. Nothing
// that they do is relied on, unless the memory is new, too.
func (e *engine) overwrite(f *function, i *ssa.Store, l *loc) {
	if !e.sites[i].initial && !initialises(f.fn) {
		e.renew(l, i.Val.Type())
	}
}

// renew marks what orders goroutines in memory of type t as out of sight.
func (e *engine) renew(l *loc, t types.Type) {
	if isOrdering(t) {
		mark(l, false, true)
		return
	}
	switch u := t.Underlying().(type) {
	case *types.Struct:
		for n := range u.NumFields() {
			e.renew(e.field(l, n), u.Field(n).Type())
		}
	case *types.Array:
		e.renew(e.field(l, elem), u.Elem())
	}
}

// isOrdering reports whether values of type t order goroutines by themselves.
func isOrdering(t types.Type) bool {
	n, ok := types.Unalias(t).(*types.Named)
	if !ok || n.Obj().Pkg() == nil || n.Obj().Pkg().Path() != "sync" {
		return false
	}
	switch n.Obj().Name() {
	case "Mutex", "RWMutex", "Once", "WaitGroup":
		return true
	}
	return false
}
