package goroutine

import "sync"

// A board hands its lock over to the goroutines that it starts.
type board struct {
	mu    sync.Mutex
	cards map[string]int
	notes map[string]int
}

func (b *board) begin(stop chan bool) {
	b.mu.Lock()
	go func() {
		defer b.mu.Unlock()
		b.cards["first"] = 1
	}()
	go func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		delete(b.cards, "first")
	}()
}

// beginAnew lets go of the lock too early.
func (b *board) beginAnew(stop chan bool) {
	b.mu.Lock()
	go func() {
		b.mu.Unlock()
		b.notes["first"] = 1 // want `map board.notes is written here and written by another goroutine`
	}()
	go func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		delete(b.notes, "first")
	}()
}
