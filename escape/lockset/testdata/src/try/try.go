// Package try has locks that are held if TryLock says so.
package try

import "sync"

func held() {}

type box struct {
	mu sync.Mutex
	rw sync.RWMutex
}

func (b *box) try() bool { return b.mu.TryLock() }

func yes(b *box) {
	if b.mu.TryLock() {
		held() // want "held: \\[b.mu\\]"
		b.mu.Unlock()
	}
	held() // want "held: \\[\\]"
}

func no(b *box) {
	if !b.mu.TryLock() {
		held() // want "held: \\[\\]"
		return
	}
	held() // want "held: \\[b.mu\\]"
	b.mu.Unlock()
}

func ignored(b *box) {
	b.mu.TryLock()
	held() // want "held: \\[\\]"
}

func reading(b *box) {
	if ok := b.rw.TryRLock(); ok {
		held() // want "held: \\[b.rw \\(read\\)\\]"
		b.rw.RUnlock()
	}
}

func wrapper(b *box) {
	if b.try() {
		held() // want "held: \\[b.mu\\]"
		b.mu.Unlock()
	}
	held() // want "held: \\[\\]"
}
