// Package ifnotwhile waits with if, although another consumer may take the item before the woken one has the lock again.
//
// Expect: panic
package ifnotwhile

import "sync"

// A Queue blocks its consumers while it is empty.
type Queue struct {
	mu    sync.Mutex
	cond  sync.Cond
	items []int
}

// New returns an empty queue.
func New() *Queue {
	q := new(Queue)
	q.cond.L = &q.mu
	return q
}

// Put adds an item.
func (q *Queue) Put(item int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.items = append(q.items, item)
	q.cond.Signal()
}

// Get takes the oldest item.
func (q *Queue) Get() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.items) == 0 {
		q.cond.Wait()
	}
	item := q.items[0]
	q.items = q.items[1:]
	return item
}
