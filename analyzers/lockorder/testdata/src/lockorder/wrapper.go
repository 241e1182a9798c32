package lockorder

import "sync"

// checked is a lock that could be exchanged for one that detects deadlocks.
type checked struct{ sync.Mutex }

func (c *checked) twice() bool { return !c.TryLock() }

type list struct {
	mu    checked
	first *element
}

type element struct {
	mu   checked
	next *element
}

// The locks of lists and those of elements are not the same, though of one type.
func (l *list) remove(e *element) {
	l.mu.Lock()
	defer l.mu.Unlock()
	e.mu.Lock()
	defer e.mu.Unlock()
	l.first = e.next
}

// guard is one, too.
type guard struct{ mu sync.Mutex }

type ring struct {
	guard guard
	first *link
}

type link struct {
	guard guard
	next  *link
}

func (r *ring) remove(l *link) {
	r.guard.mu.Lock()
	defer r.guard.mu.Unlock()
	l.guard.mu.Lock()
	defer l.guard.mu.Unlock()
	r.first = l.next
}

type pair struct{ left, right checked }

func (p *pair) leftFirst() {
	p.left.Lock()
	p.right.Lock() // want `locks are taken in a cycle: lockorder.pair.left → lockorder.pair.right → lockorder.pair.left`
	p.right.Unlock()
	p.left.Unlock()
}

func (p *pair) rightFirst() {
	p.right.Lock()
	p.left.Lock()
	p.left.Unlock()
	p.right.Unlock()
}

// Two elements of one type can be exchanged, however their locks are made.
func (e *element) after(o *element) {
	e.mu.Lock()
	defer e.mu.Unlock()
	o.mu.Lock() // want `o.mu.Mutex is taken with e.mu.Mutex held: two calls with the two exchanged can wait for each other`
	defer o.mu.Unlock()
	e.next = o
}
