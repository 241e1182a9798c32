// Package barrier waits for the next round to begin, which cannot be missed.
package barrier

import "sync"

// A Barrier holds n goroutines until all have arrived, round by round.
type Barrier struct {
	mu       sync.Mutex
	cond     sync.Cond
	n, count int
	round    int
}

// New returns a barrier for n goroutines.
func New(n int) *Barrier {
	b := &Barrier{n: n}
	b.cond.L = &b.mu
	return b
}

// Arrive returns when all have arrived in this round.
func (b *Barrier) Arrive() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.count++
	if b.count == b.n {
		b.count = 0
		b.round++
		b.cond.Broadcast()
		return
	}
	for round := b.round; round == b.round; {
		b.cond.Wait()
	}
}
