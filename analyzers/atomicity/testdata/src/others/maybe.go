package others

import "sync"

type house struct {
	mu     sync.Mutex
	rooms  sync.Map
	closed bool
}

// shut tells whether the house is closed, and lets others in if so.
func (h *house) shut() bool {
	if !h.closed {
		return false
	}
	h.mu.Unlock()
	return true
}

// Whether anybody else can come in between depends on the result of shut: nobody can.
func (h *house) Rename(name string) {
	h.mu.Lock()
	if h.shut() {
		return
	}
	if r, ok := h.rooms.Load(name); ok {
		h.rooms.Store(name, &room{r.(*room).name + "'"})
	}
	h.mu.Unlock()
}

// Here they can.
func (h *house) RenameLate(name string) {
	h.mu.Lock()
	h.closed = false
	h.mu.Unlock()
	if r, ok := h.rooms.Load(name); ok {
		h.rooms.Store(name, &room{r.(*room).name + "'"}) // want `Store of h.rooms depends on a Load before`
	}
}
