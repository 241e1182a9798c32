package others

import (
	"sync"
	"sync/atomic"
)

type room struct{ name string }

type Chat struct {
	rooms sync.Map
	mu    sync.Mutex
	done  chan struct{}
	once  sync.Once
}

func (c *Chat) room(name string) *room {
	if r, ok := c.rooms.Load(name); ok {
		return r.(*room)
	}
	r := &room{name}
	c.rooms.Store(name, r) // want `Store of c.rooms depends on a Load before: another goroutine can come in between; LoadOrStore is one step`
	return r
}

func (c *Chat) roomOnce(name string) *room {
	if r, ok := c.rooms.Load(name); ok {
		return r.(*room)
	}
	r, _ := c.rooms.LoadOrStore(name, &room{name})
	return r.(*room)
}

func (c *Chat) roomLocked(name string) *room {
	c.mu.Lock()
	defer c.mu.Unlock()
	if r, ok := c.rooms.Load(name); ok {
		return r.(*room)
	}
	r := &room{name}
	c.rooms.Store(name, r)
	return r
}

func (c *Chat) take(name string) bool {
	if _, ok := c.rooms.Load(name); !ok {
		return false
	}
	c.rooms.Delete(name) // want `Delete of c.rooms depends on a Load before: another goroutine can come in between; LoadAndDelete is one step`
	return true
}

func (c *Chat) rename(old, name string) {
	if r, ok := c.rooms.Load(old); ok {
		c.rooms.Store(name, r)
	}
}

func (c *Chat) Stop() {
	select {
	case <-c.done:
	default:
		close(c.done) // want `c.done is closed if it is found open: two goroutines can find it so, and the second close panics`
	}
}

// Only this package calls it.
func (c *Chat) stop() {
	select {
	case <-c.done:
	default:
		close(c.done)
	}
}

func (c *Chat) StopWith() {
	c.mu.Lock()
	defer c.mu.Unlock()
	select {
	case <-c.done:
	default:
		close(c.done)
	}
}

func (c *Chat) StopOnce() {
	c.once.Do(func() {
		select {
		case <-c.done:
		default:
			close(c.done)
		}
	})
}

type semaphore chan struct{}

func (s semaphore) try() bool {
	if len(s) == cap(s) {
		return false
	}
	s <- struct{}{} // want `the send to s follows a look whether there is room: it blocks if another goroutine was faster`
	return true
}

func (s semaphore) trySelect() bool {
	select {
	case s <- struct{}{}:
		return true
	default:
		return false
	}
}

type feed struct {
	closed, paused atomic.Bool
	events         chan int
}

func (f *feed) publish(event int) {
	if !f.closed.Load() {
		f.events <- event // want `the send to f.events follows a look at f.closed: the channel may be closed in between, and the send panics`
	}
}

func (f *feed) publishUnlessPaused(event int) {
	if !f.paused.Load() {
		f.events <- event
	}
}

func (f *feed) pause() { f.paused.Store(true) }

func (f *feed) close() {
	f.closed.Store(true)
	close(f.events)
}
