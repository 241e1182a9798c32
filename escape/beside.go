package escape

import (
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/coopvet/coop/escape/lockset"
)

// beside describes how to find the lock at path l from the location at path p if both
// are parts of one object: how many selectors up from the location, then which down.
// "" says that it cannot be told.
func beside(p, l lockset.Path) string {
	if p.Root == nil || p.Root != l.Root {
		return ""
	}
	ps, ls := p.Steps(), l.Steps()
	if slices.Contains(ps, "*") && len(ps) > 0 && ps[0] == "*" && constantVariable(p.Root) && len(ls) > 0 && ls[0] == "*" {
		ps, ls = ps[1:], ls[1:] // a captured variable that keeps its value
	}
	n := 0
	for n < len(ps) && n < len(ls) && ps[n] == ls[n] && ps[n] != "*" {
		n++
	}
	ps, ls = ps[n:], ls[n:]
	if slices.Contains(ps, "*") || slices.ContainsFunc(ls, func(s string) bool { return s[0] != '.' }) {
		return ""
	}
	if len(ls) == 0 {
		return ""
	}
	return strconv.Itoa(len(ps)) + strings.Join(ls, "")
}

// constantVariable reports whether v is the address of a captured variable that is set
// once, where it is declared.
func constantVariable(v ssa.Value) bool {
	free, ok := v.(*ssa.FreeVar)
	if !ok {
		return false
	}
	fn := free.Parent()
	if fn.Parent() == nil {
		return false
	}
	i := slices.Index(fn.FreeVars, free)
	found := false
	for _, b := range fn.Parent().Blocks {
		for _, instr := range b.Instrs {
			c, ok := instr.(*ssa.MakeClosure)
			if !ok || c.Fn != fn {
				continue
			}
			found = true
			if !lockset.Constant(c.Bindings[i]) && !constantVariable(c.Bindings[i]) {
				return false
			}
		}
	}
	return found
}
