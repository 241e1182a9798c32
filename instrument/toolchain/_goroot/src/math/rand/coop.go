package rand

import _ "unsafe" // for linkname

// coopRand is runtime_rand for what the program sees.
//
//go:linkname coopRand
func coopRand() uint64
