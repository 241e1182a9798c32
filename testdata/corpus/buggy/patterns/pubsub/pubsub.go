// Package pubsub sends to its subscribers with the lock held that a subscriber needs to leave.
//
// Expect: deadlock
package pubsub

import "sync"

// A Subscription receives messages.
type Subscription struct{ C chan string }

// A Topic sends each message to all subscribers.
type Topic struct {
	mu   sync.Mutex
	subs map[*Subscription]bool
}

// New returns a topic without subscribers.
func New() *Topic { return &Topic{subs: make(map[*Subscription]bool)} }

// Subscribe adds a subscriber.
func (t *Topic) Subscribe() *Subscription {
	t.mu.Lock()
	defer t.mu.Unlock()
	s := &Subscription{make(chan string)}
	t.subs[s] = true
	return s
}

// Unsubscribe removes a subscriber, who then receives no more.
func (t *Topic) Unsubscribe(s *Subscription) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.subs, s)
}

// Publish returns when all subscribers have received the message.
func (t *Topic) Publish(message string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for s := range t.subs {
		s.C <- message
	}
}
