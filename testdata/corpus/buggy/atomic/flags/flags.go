// Package flags looks at the other side's flag before it raises its own, so that both sides can enter.
//
// Expect: fail
package flags

import "sync/atomic"

// A Bridge carries one of two sides at a time.
type Bridge struct{ wants [2]atomic.Bool }

// TryEnter reports whether a side may use the bridge now. At most one side gets true.
func (b *Bridge) TryEnter(side int) bool {
	if b.wants[1-side].Load() {
		return false
	}
	b.wants[side].Store(true)
	return true
}
