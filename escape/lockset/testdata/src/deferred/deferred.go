// Package deferred releases locks in deferred calls.
package deferred

import "sync"

func held() {}

type box struct {
	mu, other sync.Mutex
	n         int
}

func (b *box) unlock() { b.mu.Unlock() }

func whole(b *box) {
	b.mu.Lock()
	defer b.mu.Unlock()
	held() // want "held: \\[b.mu\\]"
	if b.n > 0 {
		return
	}
	held() // want "held: \\[b.mu\\]"
}

func released(b *box) {
	whole(b)
	held() // want "held: \\[\\]"
}

func literal(b *box) {
	b.mu.Lock()
	defer func() {
		b.mu.Unlock()
	}()
	held() // want "held: \\[b.mu\\]"
}

func afterLiteral(b *box) {
	literal(b)
	held() // want "held: \\[\\]"
}

func value(b *box) {
	b.mu.Lock()
	f := b.mu.Unlock
	defer f()
	held() // want "held: \\[b.mu\\]"
}

// order has a deferred call before and one after the deferred release.
func order(b *box) {
	b.mu.Lock()
	defer held() // want "held: \\[\\]"
	defer b.mu.Unlock()
	defer held() // want "held: \\[b.mu\\]"
}

func keeps(b *box) { b.mu.Lock() }

func helper(b *box) {
	keeps(b)
	defer b.unlock()
	held() // want "held: \\[b.mu\\]"
}

func afterHelper(b *box) {
	helper(b)
	held() // want "held: \\[\\]"
}

// locked takes a lock in a deferred call: it is held when the function returns.
func locked(b *box) {
	defer b.mu.Lock()
	held() // want "held: \\[\\]"
}

func afterLocked(b *box) {
	locked(b)
	held() // want "held: \\[b.mu\\]"
	b.mu.Unlock()
}
