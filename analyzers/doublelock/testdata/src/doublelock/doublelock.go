package doublelock

import "sync"

type table struct {
	mu   sync.Mutex
	rw   sync.RWMutex
	rows []int
}

func (t *table) straight() {
	t.mu.Lock()
	t.mu.Lock() // want `t.mu is locked although it is held: the goroutine waits for itself`
	t.mu.Unlock()
	t.mu.Unlock()
}

func (t *table) twice() {
	t.mu.Lock()
	t.mu.Unlock()
	t.mu.Lock()
	t.mu.Unlock()
}

func (t *table) len() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.rows)
}

func (t *table) add(row int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.len() > 10 { // want `t.mu is locked by calling table.len although it is held: the goroutine waits for itself`
		return
	}
	t.rows = append(t.rows, row)
}

func (t *table) isEmpty() bool { return t.len() == 0 }

func (t *table) deep() {
	t.mu.Lock()
	if t.isEmpty() { // want `t.mu is locked by calling table.isEmpty, which calls table.len although it is held`
		t.rows = nil
	}
	t.mu.Unlock()
}

func (t *table) released() int {
	t.mu.Lock()
	t.rows = nil
	t.mu.Unlock()
	return t.len()
}

func (t *table) other(u *table) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.rows = append(t.rows, u.len())
}

func (t *table) inGoroutine() {
	t.mu.Lock()
	defer t.mu.Unlock()
	go t.add(1)
}

func (t *table) tries() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.mu.TryLock() {
		t.mu.Unlock()
		return true
	}
	return false
}

// Releases and takes the caller's lock.
func (t *table) pause() {
	t.mu.Unlock()
	t.mu.Lock()
}

func (t *table) pausing() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.pause()
}

// A flag says whether the lock is held.
func (t *table) set(row int, locked bool) {
	if !locked {
		t.mu.Lock()
		defer t.mu.Unlock()
	}
	t.rows[0] = row
}

func (t *table) setFlagged() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.set(1, true)
}

func (t *table) row(i int) int {
	t.rw.RLock()
	defer t.rw.RUnlock()
	return t.rows[i]
}

func (t *table) sum() (sum int) {
	t.rw.RLock()
	defer t.rw.RUnlock()
	for i := range t.rows {
		sum += t.row(i) // want `t.rw is locked for reading again by calling table.row: if a writer waits in between, both wait forever`
	}
	return sum
}

func (t *table) upgrade() {
	t.rw.RLock()
	t.rw.Lock() // want `t.rw is locked although it is held for reading: the goroutine waits for itself`
	t.rw.Unlock()
	t.rw.RUnlock()
}

// Nobody writes.
type readOnly struct {
	rw   sync.RWMutex
	rows []int
}

func (r *readOnly) row(i int) int {
	r.rw.RLock()
	defer r.rw.RUnlock()
	return r.rows[i]
}

func (r *readOnly) first() int {
	r.rw.RLock()
	defer r.rw.RUnlock()
	return r.row(0)
}

type lazy struct {
	mu   sync.Mutex
	once sync.Once
	v    int
}

func (l *lazy) load() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.v = 1
}

func (l *lazy) get() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.once.Do(l.load) // want `l.mu is locked by calling lazy.load although it is held`
	return l.v
}

func (l *lazy) getBefore() int {
	l.once.Do(l.load)
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.v
}

// The pointer leads to another lock the second time.
type node struct {
	mu   sync.Mutex
	next *node
}

type list struct{ cur *node }

func (l *list) handOver() {
	l.cur.mu.Lock()
	prev := l.cur
	l.cur = prev.next
	l.cur.mu.Lock()
	prev.mu.Unlock()
	l.cur.mu.Unlock()
}
