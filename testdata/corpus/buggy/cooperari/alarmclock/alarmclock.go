// Package alarmclock looks at its list of alarms outside the monitor, so that a tick can ring an alarm that another tick has just removed.
//
// Expect: race|panic|fail
package alarmclock

import "sync"

// An Alarm rings when its time has come.
type Alarm struct {
	at   int
	rang bool
	next *Alarm
}

// A Clock keeps a list of alarms, earliest first.
type Clock struct {
	mu   sync.Mutex
	now  int
	head *Alarm
}

// Set adds an alarm that rings at the next tick.
func (c *Clock) Set() *Alarm {
	c.mu.Lock()
	defer c.mu.Unlock()
	a := &Alarm{at: c.now + 1}
	p := &c.head
	for *p != nil {
		p = &(*p).next
	}
	*p = a
	return a
}

// Tick advances the clock and rings the alarms that are due.
func (c *Clock) Tick() {
	c.mu.Lock()
	c.now++
	c.mu.Unlock()
	for c.head != nil && c.head.at <= c.now {
		c.mu.Lock()
		a := c.head
		c.head = a.next
		a.rang = true
		c.mu.Unlock()
	}
}
