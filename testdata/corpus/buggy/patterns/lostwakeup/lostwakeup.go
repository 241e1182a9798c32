// Package lostwakeup announces that the consumer sleeps after its last look at the queue, so that a producer in between does not wake it.
//
// Expect: deadlock
package lostwakeup

import "sync/atomic"

// A Mailbox passes one number from a producer to a consumer.
type Mailbox struct {
	full     atomic.Bool
	value    atomic.Int64
	sleeping atomic.Bool
	wake     chan struct{}
}

// New returns an empty mailbox.
func New() *Mailbox { return &Mailbox{wake: make(chan struct{}, 1)} }

// Put fills the mailbox and wakes the consumer if it sleeps.
func (m *Mailbox) Put(value int64) {
	m.value.Store(value)
	m.full.Store(true)
	if m.sleeping.Load() {
		m.wake <- struct{}{}
	}
}

// Get waits until the mailbox is full.
func (m *Mailbox) Get() int64 {
	if !m.full.Load() {
		m.sleeping.Store(true)
		<-m.wake
	}
	return m.value.Load()
}
