package doublelock

import "sync"

type log struct {
	files sync.RWMutex
	mu    sync.Mutex
	n     int
}

// follow keeps the lock until its goroutine is done.
func (l *log) follow(lines chan int) {
	l.files.RLock()
	go func() {
		defer l.files.RUnlock()
		for n := range lines {
			println(n)
		}
	}()
}

func (l *log) rotate() {
	l.files.Lock()
	l.n++
	l.files.Unlock()
}

func followAndRotate(l *log, lines chan int) {
	l.follow(lines)
	l.rotate()
}

func followHeld(l *log) {
	l.files.RLock()
	go println(l.n)
	l.rotate() // want `l.files is locked by calling log.rotate although it is held for reading`
	l.files.RUnlock()
}

// renew is called with the lock held.
func (l *log) renew() {
	l.mu.Unlock()
	l.take()
	l.mu.Lock()
}

func (l *log) take() {
	l.mu.Lock()
	l.n++
	l.mu.Unlock()
}

func renewing(l *log) {
	l.mu.Lock()
	l.renew()
	l.mu.Unlock()
}

type stripes struct {
	bits int
	all  [8]struct {
		mu sync.Mutex
		n  int
	}
}

// The index has no name in the source: messages do not show the one that it has in SSA.
func (s *stripes) add(key int) {
	stripe := &s.all[key>>s.bits]
	stripe.mu.Lock()
	stripe.mu.Lock() // want `s\.all\[\.\.\.\]\.mu is locked although it is held`
	stripe.n++
	stripe.mu.Unlock()
}
