package lockset

import (
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// Held is a lock that is held.
type Held struct {
	Lock    Path
	Reading bool // an RWMutex, held for reading
	// Dynamic: the lock is a sync.Locker whose type is not known here. It may be one
	// that does not lock.
	Dynamic bool
}

// Set is the locks that are certainly held. It is not changed once it exists.
type Set []Held

// Has reports whether the set has the lock, at least for reading.
func (s Set) Has(lock Path) bool { return s.find(lock) >= 0 }

// HasExclusive reports whether the lock is held, and not only for reading.
func (s Set) HasExclusive(lock Path) bool {
	i := s.find(lock)
	return i >= 0 && !s[i].Reading
}

func (s Set) find(lock Path) int {
	return slices.IndexFunc(s, func(h Held) bool { return h.Lock == lock })
}

func (s Set) with(h Held) Set {
	if i := s.find(h.Lock); i >= 0 {
		if !s[i].Reading || h.Reading {
			return s
		}
		s = slices.Delete(slices.Clone(s), i, i+1)
	}
	return append(slices.Clip(s), h)
}

// without removes what the release of a lock may release: the lock itself, if the set
// has it; if not, all that may be the same lock under another path.
func (s Set) without(lock Path) Set {
	if i := s.find(lock); i >= 0 {
		return slices.Delete(slices.Clone(s), i, i+1)
	}
	return s.filter(func(h Held) bool { return distinct(h.Lock, lock) })
}

// distinct reports whether two different paths are surely two locks: their last steps
// are different fields, or they are different variables.
func distinct(a, b Path) bool {
	if a.Sel == "" && b.Sel == "" {
		return isVariable(a.Root) && isVariable(b.Root)
	}
	if a.Root == b.Root && a.Constant() && b.Constant() {
		return true
	}
	la, lb := lastStep(a), lastStep(b)
	switch {
	case strings.HasPrefix(la, "*") || strings.HasPrefix(lb, "*"):
		return false // a pointer may point to anything
	case la == "" && isVariable(a.Root), lb == "" && isVariable(b.Root):
		return true // a variable is no field and no element
	case la == "" || lb == "":
		return false
	case la[0] != lb[0]:
		return true // a field is no element
	}
	return la[0] == '.' && la != lb
}

func lastStep(p Path) string {
	if i := strings.LastIndexAny(p.Sel, ".[*"); i >= 0 {
		return p.Sel[i:]
	}
	return ""
}

// isVariable reports whether v is the address of a variable of its own.
func isVariable(v ssa.Value) bool {
	switch v.(type) {
	case *ssa.Global, *ssa.Alloc:
		return true
	}
	return false
}

func (s Set) filter(keep func(Held) bool) Set {
	if !slices.ContainsFunc(s, func(h Held) bool { return !keep(h) }) {
		return s
	}
	var out Set
	for _, h := range s {
		if keep(h) {
			out = append(out, h)
		}
	}
	return out
}

// meet returns what is held in both.
func (s Set) meet(t Set) Set {
	var out Set
	for _, h := range s {
		if i := t.find(h.Lock); i >= 0 {
			h.Reading = h.Reading || t[i].Reading
			h.Dynamic = h.Dynamic || t[i].Dynamic
			out = append(out, h)
		}
	}
	return out
}

func (s Set) equal(t Set) bool {
	if len(s) != len(t) {
		return false
	}
	for _, h := range s {
		if !slices.Contains(t, h) {
			return false
		}
	}
	return true
}

// String lists the locks as source text would name them.
func (s Set) String() string {
	var names []string
	for _, h := range s {
		name := h.Lock.String()
		if h.Reading {
			name += " (read)"
		}
		names = append(names, name)
	}
	slices.Sort(names)
	return strings.Join(names, ", ")
}
