// Package wrap exports wrappers of a lock.
package wrap

import "sync"

type Box struct{ mu sync.Mutex }

func (b *Box) Lock()     { b.mu.Lock() }
func (b *Box) Unlock()   { b.mu.Unlock() }
func (b *Box) Try() bool { return b.mu.TryLock() }

var Table sync.Mutex

func LockTable() { Table.Lock() }
