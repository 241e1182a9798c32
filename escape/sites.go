package escape

import (
	"cmp"
	"go/token"
	"slices"

	"github.com/coopvet/coop/runner/sched"
)

// Site is an access in the source with what was found out about it.
type Site struct {
	Pos     token.Pos
	Write   bool
	Initial bool // to a new object that nobody else knew of
	Visible bool
	classes classSet
}

// Classes names the classes of the locations that the access may be to.
func (s Site) Classes() []string {
	if s.classes == 0 {
		return []string{Unprotected.String()}
	}
	var out []string
	for c := range numClasses {
		if s.classes.has(c) {
			out = append(out, c.String())
		}
	}
	return out
}

// Sites returns the accesses of all functions that were analysed, in the order of their
// positions.
func (r *Result) Sites() []Site {
	var out []Site
	add := func(m map[token.Pos][]*site) {
		for pos, list := range m {
			for _, s := range list {
				out = append(out, Site{pos, s.write, s.initial, s.visible(), s.classes})
			}
		}
	}
	add(r.e.placed)
	add(r.e.hidden)
	slices.SortFunc(out, func(a, b Site) int { return cmp.Compare(a.Pos, b.Pos) })
	return out
}

// Position resolves a position of the program.
func (r *Result) Position(p token.Pos) token.Position { return r.e.prog.Fset.Position(p) }

// claim returns what is claimed of the access.
func (s *site) claim() sched.Claim {
	if s.visible() {
		return sched.ClaimUnprotected
	}
	c := sched.Claim(s.classes)
	if s.initial || s.begins {
		return c&^sched.ClaimUnprotected | sched.ClaimInitial
	}
	return c
}

// The classes are numbered alike.
var _ = [1]struct{}{}[sched.ClaimUnprotected-1<<Unprotected|sched.ClaimUnshared-1<<Unshared|sched.ClaimReadOnly-1<<ReadOnly|
	sched.ClaimLocked-1<<Locked|sched.ClaimOrdered-1<<Ordered|sched.ClaimAtomic-1<<Atomic]
