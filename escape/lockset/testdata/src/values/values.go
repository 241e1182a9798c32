// Package values copies locks, by which they become other locks.
package values

import "sync"

func held() {}

type box struct {
	mu sync.Mutex
	n  int
}

func (b box) copied() {
	b.mu.Lock()
}

func caller(b *box) {
	b.copied()
	held() // want "held: \\[\\]"
}

func pointer(b *box) {
	p := &b.mu
	p.Lock()
	held() // want "held: \\[b.mu\\]"
	b.mu.Unlock()
	held() // want "held: \\[\\]"
}
