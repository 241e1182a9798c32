package noloop

import "sync"

type queue struct {
	mu    sync.Mutex
	cond  *sync.Cond
	items []int
}

func (q *queue) getIf() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.items) == 0 {
		q.cond.Wait() // want `Wait is not called in a loop: when it returns, the condition need not hold`
	}
	item := q.items[0]
	q.items = q.items[1:]
	return item
}

func (q *queue) getFor() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.items) == 0 {
		q.cond.Wait()
	}
	item := q.items[0]
	q.items = q.items[1:]
	return item
}

// More than the wait is guarded: no fix.
func (q *queue) getCounting(n *int) int {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.items) == 0 {
		*n++
		q.cond.Wait() // want `Wait is not called in a loop`
	}
	return q.items[0]
}

func (q *queue) untested() {
	q.cond.L.Lock()
	q.cond.Wait() // want `Wait is called without a test of a condition: a signal given before is missed`
	q.cond.L.Unlock()
}

// The caller has the lock and may loop.
func (q *queue) waitLocked() {
	if len(q.items) == 0 {
		q.cond.Wait()
	}
}

func (q *queue) getByHelper() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.items) == 0 {
		q.waitLocked()
	}
	return q.items[0]
}

func (q *queue) getForever() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	for {
		if len(q.items) > 0 {
			return q.items[0]
		}
		q.cond.Wait()
	}
}

func (q *queue) getGoto() int {
	q.mu.Lock()
	defer q.mu.Unlock()
again:
	if len(q.items) == 0 {
		q.cond.Wait()
		goto again
	}
	return q.items[0]
}

// The loop is around the function literal, not around the wait.
func (q *queue) literals() {
	for range 3 {
		go func() {
			q.mu.Lock()
			defer q.mu.Unlock()
			if len(q.items) == 0 {
				q.cond.Wait() // want `Wait is not called in a loop`
			}
			q.items = q.items[1:]
		}()
	}
}

// Not a sync.Cond.
type other struct{}

func (other) Wait() {}

func (q *queue) others(o other) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.items) == 0 {
		o.Wait()
	}
	q.items = nil
}

type embedded struct {
	sync.Mutex
	*sync.Cond
	ready bool
}

func (e *embedded) wait() {
	e.Lock()
	if !e.ready {
		e.Wait() // want `Wait is not called in a loop`
	}
	e.Unlock()
}

// A tank's wait is called in loops that test again what is waited for.
type tank struct {
	mu     sync.Mutex
	filled *sync.Cond
	level  int
}

func (t *tank) wait() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.level < 0 {
		return false
	}
	t.filled.Wait()
	return true
}

func (t *tank) take() {
	for t.level == 0 {
		if !t.wait() {
			return
		}
	}
	t.level--
}

// waitOnce is called in a loop, and also in none.
func (t *tank) waitOnce() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.filled.Wait() // want `Wait is called without a test of a condition`
}

func (t *tank) takeOnce() {
	for t.level == 0 {
		t.waitOnce()
	}
	if t.level == 1 {
		t.waitOnce()
	}
	t.level--
}
