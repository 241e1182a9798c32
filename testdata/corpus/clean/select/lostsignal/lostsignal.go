// Package lostsignal keeps the signal in a channel with room for one, until the consumer comes.
package lostsignal

import "sync"

// A Queue has one consumer.
type Queue struct {
	mu    sync.Mutex
	items []int
	wake  chan struct{}
}

// New returns an empty queue.
func New() *Queue { return &Queue{wake: make(chan struct{}, 1)} }

// Put adds an item and never blocks.
func (q *Queue) Put(item int) {
	q.mu.Lock()
	q.items = append(q.items, item)
	q.mu.Unlock()
	select {
	case q.wake <- struct{}{}:
	default:
	}
}

func (q *Queue) tryGet() (item int, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.items) == 0 {
		return 0, false
	}
	item = q.items[0]
	q.items = q.items[1:]
	return item, true
}

// Get waits for an item.
func (q *Queue) Get() int {
	for {
		if item, ok := q.tryGet(); ok {
			return item
		}
		<-q.wake
	}
}
