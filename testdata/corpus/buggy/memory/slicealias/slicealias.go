// Package slicealias appends to one prefix in two goroutines, which write to the same spare capacity.
//
// Expect: race|fail
package slicealias

// Paths extends a common prefix.
type Paths struct{ prefix []string }

// New returns paths below the given root, with room for more elements.
func New(root string) *Paths {
	prefix := make([]string, 1, 4)
	prefix[0] = root
	return &Paths{prefix}
}

// Join returns the prefix and one more element.
func (p *Paths) Join(element string) []string { return append(p.prefix, element) }
