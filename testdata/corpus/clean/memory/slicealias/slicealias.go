// Package slicealias appends to a prefix without spare capacity, which makes append copy.
package slicealias

import "slices"

// Paths extends a common prefix.
type Paths struct{ prefix []string }

// New returns paths below the given root, with room for more elements.
func New(root string) *Paths {
	prefix := make([]string, 1, 4)
	prefix[0] = root
	return &Paths{prefix}
}

// Join returns the prefix and one more element.
func (p *Paths) Join(element string) []string { return append(slices.Clip(p.prefix), element) }
