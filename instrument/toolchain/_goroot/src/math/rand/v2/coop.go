package rand

import _ "unsafe" // for linkname

// coopRand is runtime_rand for what the program sees.
//
//go:linkname coopRand
func coopRand() uint64

// coopSource is runtimeSource for what the program sees. It is not an edit of rand.go,
// which go/parser cannot read before it knows the methods with type parameters of go1.27.
type coopSource struct{}

func (coopSource) Uint64() uint64 { return coopRand() }

func init() { globalRand.src = coopSource{} }
