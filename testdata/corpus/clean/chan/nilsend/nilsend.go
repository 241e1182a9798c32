// Package nilsend makes the channel at its first use, under the lock.
package nilsend

import "sync"

// A Mailbox holds one letter.
type Mailbox struct {
	mu sync.Mutex
	ch chan string
}

// Open makes the mailbox ready.
func (m *Mailbox) Open() { m.inbox() }

func (m *Mailbox) inbox() chan string {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.ch == nil {
		m.ch = make(chan string, 1)
	}
	return m.ch
}

// Deliver puts a letter into the mailbox.
func (m *Mailbox) Deliver(letter string) { m.inbox() <- letter }

// Fetch takes the letter out.
func (m *Mailbox) Fetch() string { return <-m.inbox() }
