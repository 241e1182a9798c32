// Package alarmclock looks at its list of alarms and changes it in one critical section.
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
	defer c.mu.Unlock()
	c.now++
	for c.head != nil && c.head.at <= c.now {
		a := c.head
		c.head = a.next
		a.rang = true
	}
}
