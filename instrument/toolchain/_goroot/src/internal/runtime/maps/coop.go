package maps

import _ "unsafe" // for linkname

// iterRand is where an iteration over a map of used elements begins.
//
//go:linkname iterRand
func iterRand(used uint64) uint64
