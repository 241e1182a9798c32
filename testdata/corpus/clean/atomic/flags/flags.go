// Package flags raises its own flag before it looks at the other side's.
package flags

import "sync/atomic"

// A Bridge carries one of two sides at a time.
type Bridge struct{ wants [2]atomic.Bool }

// TryEnter reports whether a side may use the bridge now. At most one side gets true.
func (b *Bridge) TryEnter(side int) bool {
	b.wants[side].Store(true)
	return !b.wants[1-side].Load()
}
