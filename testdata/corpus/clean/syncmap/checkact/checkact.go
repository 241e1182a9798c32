// Package checkact uses LoadOrStore, which is one step.
package checkact

import "sync"

// A Room has members.
type Room struct{ name string }

// A Chat creates a room at its first use.
type Chat struct{ rooms sync.Map }

// Room returns the one room of that name.
func (c *Chat) Room(name string) *Room {
	r, _ := c.rooms.LoadOrStore(name, &Room{name})
	return r.(*Room)
}
