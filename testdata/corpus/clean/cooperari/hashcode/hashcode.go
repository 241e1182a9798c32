// Package hashcode computes the hash in a local variable and publishes it atomically.
package hashcode

import "sync/atomic"

// A Name caches its hash code.
type Name struct {
	text string
	hash atomic.Uint32
}

// Hash returns the hash code.
func (n *Name) Hash() uint32 {
	hash := n.hash.Load()
	if hash == 0 {
		for i := range len(n.text) {
			hash = 31*hash + uint32(n.text[i])
		}
		n.hash.Store(hash)
	}
	return hash
}
