// Package hashcode computes its cached hash in the shared field, where others see partial results.
//
// Expect: race|fail
package hashcode

// A Name caches its hash code.
type Name struct {
	text string
	hash uint32
}

// Hash returns the hash code.
func (n *Name) Hash() uint32 {
	if n.hash == 0 {
		for i := range len(n.text) {
			n.hash = 31*n.hash + uint32(n.text[i])
		}
	}
	return n.hash
}
