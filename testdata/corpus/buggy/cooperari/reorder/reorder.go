// Package reorder sets two related fields without a lock, so that a checker can see one without the other.
//
// Expect: race|fail
package reorder

// A Pair is consistent when b is -a.
type Pair struct{ a, b int }

// Set changes both fields.
func (p *Pair) Set() {
	p.a = 1
	p.b = -1
}

// Consistent reports whether b is -a.
func (p *Pair) Consistent() bool { return p.a == -p.b }
