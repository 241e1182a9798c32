package sync

// CoopLocked reports whether m is locked.
func (m *Mutex) CoopLocked() bool { return m.state&mutexLocked != 0 }
