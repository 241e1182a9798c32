// Package sleepsync waits for the goroutines themselves, and for the lock instead of trying it.
package sleepsync

import (
	"sync"
	"sync/atomic"
)

// A Device is initialised and tests itself in the background.
type Device struct {
	mu    sync.Mutex
	ready atomic.Bool
	tests int
}

func (d *Device) init() {
	d.mu.Lock()
	d.ready.Store(true)
	d.mu.Unlock()
}

func (d *Device) test() {
	d.mu.Lock()
	d.tests++
	d.mu.Unlock()
}

// Open returns a device that is ready.
func Open() *Device {
	d := new(Device)
	var wg sync.WaitGroup
	wg.Go(d.test)
	wg.Go(d.init)
	wg.Wait()
	return d
}
