// Package checkact loads and stores a sync.Map entry in two steps, so that two goroutines create it.
//
// Expect: fail
package checkact

import "sync"

// A Room has members.
type Room struct{ name string }

// A Chat creates a room at its first use.
type Chat struct{ rooms sync.Map }

// Room returns the one room of that name.
func (c *Chat) Room(name string) *Room {
	if r, ok := c.rooms.Load(name); ok {
		return r.(*Room)
	}
	r := &Room{name}
	c.rooms.Store(name, r)
	return r
}
