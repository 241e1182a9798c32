// Package nilsend sends on a channel field that another goroutine may not have made yet.
//
// Expect: deadlock
package nilsend

import "sync"

// A Mailbox holds one letter.
type Mailbox struct {
	mu sync.Mutex
	ch chan string
}

// Open makes the mailbox ready.
func (m *Mailbox) Open() {
	m.mu.Lock()
	m.ch = make(chan string, 1)
	m.mu.Unlock()
}

func (m *Mailbox) inbox() chan string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.ch
}

// Deliver puts a letter into the mailbox.
func (m *Mailbox) Deliver(letter string) { m.inbox() <- letter }

// Fetch takes the letter out.
func (m *Mailbox) Fetch() string { return <-m.inbox() }
