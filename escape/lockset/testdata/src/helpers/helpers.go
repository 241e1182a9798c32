// Package helpers takes and releases locks in other functions.
package helpers

import "sync"

func held() {}

type store struct {
	mu sync.RWMutex
	n  int
}

func (s *store) lock()    { s.mu.Lock() }
func (s *store) unlock()  { s.mu.Unlock() }
func (s *store) rlock()   { s.mu.RLock() }
func (s *store) runlock() { s.mu.RUnlock() }

func uses(s *store) {
	s.lock()
	held() // want "held: \\[s.mu\\]"
	s.unlock()
	held() // want "held: \\[\\]"
	s.rlock()
	held() // want "held: \\[s.mu \\(read\\)\\]"
	s.runlock()
	held() // want "held: \\[\\]"
}

func twice(s *store) { deep(s) }
func deep(s *store)  { s.lock() }

func nested(s *store) {
	twice(s)
	held() // want "held: \\[s.mu\\]"
	s.unlock()
}

// maybe locks on one path only, so callers may not rely on it.
func maybe(s *store, b bool) {
	if b {
		s.mu.Lock()
	}
}

func uncertain(s *store) {
	maybe(s, true)
	held() // want "held: \\[\\]"
}

// relock releases the caller's lock for a moment and takes it again.
func relock(s *store) {
	s.mu.Unlock()
	held() // want "held: \\[\\]"
	s.mu.Lock()
}

func through(s *store) {
	s.lock()
	relock(s)
	held() // want "held: \\[s.mu\\]"
	s.unlock()
}

func open() *store {
	s := &store{}
	s.mu.Lock()
	return s
}

func result() {
	s := open()
	held() // want "held: \\[store.mu\\]"
	s.mu.Unlock()
	held() // want "held: \\[\\]"
}

// unlocker gives the release away as a value: after a call of an unknown function
// nothing is certain.
func unlocker(s *store) func() {
	s.mu.Lock()
	return s.mu.Unlock
}

func byValue(s *store) {
	release := unlocker(s)
	held() // want "held: \\[s.mu\\]"
	release()
	held() // want "held: \\[\\]"
}

var table sync.Mutex

func lockTable() { table.Lock() }

func viaGlobal() {
	lockTable()
	held() // want "held: \\[helpers.table\\]"
	table.Unlock()
}
