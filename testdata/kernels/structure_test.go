package kernels

import (
	"sync"
	"sync/atomic"
	"testing"
)

// buffer is a string buffer with a lock per call, as in the JDK: append asks the other
// one for its length and then for its contents, and in between that may shrink.
type buffer struct {
	mu   sync.Mutex
	text []byte
}

func (b *buffer) len() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.text)
}

// read copies the first n bytes and reports whether there are as many.
func (b *buffer) read(n int, to []byte) ([]byte, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if n > len(b.text) {
		return to, false
	}
	return append(to, b.text[:n]...), true
}

func (b *buffer) erase(n int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.text = b.text[:n]
}

func (b *buffer) all(to []byte) []byte {
	b.mu.Lock()
	defer b.mu.Unlock()
	return append(to, b.text...)
}

func stringBuffer(t *testing.T, fixed bool) {
	source := &buffer{text: []byte("abc")}
	target := &buffer{}
	together(func() {
		target.mu.Lock()
		defer target.mu.Unlock()
		if fixed {
			target.text = source.all(target.text)
			return
		}
		var ok bool
		if target.text, ok = source.read(source.len(), target.text); !ok {
			t.Error("the source is shorter than it has said")
		}
	}, func() {
		source.erase(1)
		source.erase(0)
	})
}

func TestStringBuffer(t *testing.T)      { stringBuffer(t, false) }
func TestFixedStringBuffer(t *testing.T) { stringBuffer(t, true) }

// bluetooth is the driver of Qadeer and Wu (PLDI 2004): a request looks whether the driver is
// being stopped and only then counts itself as pending.
func bluetooth(t *testing.T, requests int, fixed bool) {
	var stopping, stopped atomic.Bool
	var pending atomic.Int32
	pending.Store(1)
	idle := make(chan bool, 1+requests)
	done := func() {
		if pending.Add(-1) == 0 {
			idle <- true
		}
	}
	request := func() {
		if fixed {
			pending.Add(1)
			defer done()
			if stopping.Load() {
				return
			}
		} else {
			if stopping.Load() {
				return
			}
			pending.Add(1)
			defer done()
		}
		if stopped.Load() {
			t.Error("a request runs on a driver that has stopped")
		}
	}
	stop := func() {
		stopping.Store(true)
		done()
		<-idle
		stopped.Store(true)
	}
	together(append(times(requests, request), stop)...)
}

func TestBluetooth1(t *testing.T)      { bluetooth(t, 1, false) }
func TestBluetooth3(t *testing.T)      { bluetooth(t, 3, false) }
func TestFixedBluetooth1(t *testing.T) { bluetooth(t, 1, true) }

// deque is a work-stealing queue: the owner pushes and pops at the bottom, thieves
// steal at the top (D. Chase and Y. Lev, SPAA 2005). The buggy owner takes the last task without
// competing for it.
type deque struct {
	top, bottom atomic.Int32
	tasks       [8]atomic.Int32
	fixed       bool
}

func (d *deque) push(task int32) {
	b := d.bottom.Load()
	d.tasks[b].Store(task)
	d.bottom.Store(b + 1)
}

func (d *deque) pop() int32 {
	b := d.bottom.Load() - 1
	d.bottom.Store(b)
	top := d.top.Load()
	if b < top {
		d.bottom.Store(top)
		return 0
	}
	task := d.tasks[b].Load()
	if b > top || !d.fixed {
		return task
	}
	if !d.top.CompareAndSwap(top, top+1) {
		task = 0
	}
	d.bottom.Store(top + 1)
	return task
}

func (d *deque) steal() int32 {
	top := d.top.Load()
	if top >= d.bottom.Load() {
		return 0
	}
	task := d.tasks[top].Load()
	if !d.top.CompareAndSwap(top, top+1) {
		return 0
	}
	return task
}

func workStealing(t *testing.T, tasks, thieves int, fixed bool) {
	d := &deque{fixed: fixed}
	taken := make([]atomic.Int32, tasks+1)
	take := func(task int32) {
		if task != 0 && taken[task].Add(1) > 1 {
			t.Errorf("task %d is done twice", task)
		}
	}
	owner := func() {
		for i := range tasks {
			d.push(int32(i + 1))
		}
		for range tasks {
			take(d.pop())
		}
	}
	thief := func() { take(d.steal()) }
	together(append(times(thieves, thief), owner)...)
}

func TestWorkStealing1(t *testing.T)      { workStealing(t, 1, 1, false) }
func TestWorkStealing3(t *testing.T)      { workStealing(t, 3, 2, false) }
func TestFixedWorkStealing3(t *testing.T) { workStealing(t, 3, 2, true) }

// stack is Treiber's stack over the cells of an array, whose links are indices. Cells
// are used again: a pop that was interrupted may find the same cell on top with another one below (ABA).
// The fixed one counts the changes of the top.
type stack struct {
	top   atomic.Int64 // version<<8 | cell; 0 is no cell
	next  [8]atomic.Int64
	fixed bool
}

func (s *stack) change(old, cell int64) bool {
	version := int64(0)
	if s.fixed {
		version = old>>8 + 1
	}
	return s.top.CompareAndSwap(old, version<<8|cell)
}

func (s *stack) push(cell int64) {
	for {
		old := s.top.Load()
		s.next[cell].Store(old & 0xff)
		if s.change(old, cell) {
			return
		}
	}
}

func (s *stack) pop() int64 {
	for {
		old := s.top.Load()
		cell := old & 0xff
		if cell == 0 {
			return 0
		}
		if s.change(old, s.next[cell].Load()) {
			return cell
		}
	}
}

func aba(t *testing.T, fixed bool) {
	s := &stack{fixed: fixed}
	s.push(3)
	s.push(2)
	s.push(1)
	var owner [8]atomic.Int32
	own := func(cell int64) int64 {
		if cell != 0 && owner[cell].Add(1) > 1 {
			t.Errorf("cell %d has two owners", cell)
		}
		return cell
	}
	give := func(cell int64) {
		if cell != 0 {
			owner[cell].Add(-1)
			s.push(cell)
		}
	}
	together(func() {
		own(s.pop())
		own(s.pop())
	}, func() {
		a := own(s.pop())
		own(s.pop())
		give(a)
	})
}

func TestABA(t *testing.T)      { aba(t, false) }
func TestFixedABA(t *testing.T) { aba(t, true) }

// lockFree is a stack whose push is lost if another one comes between: it stores the top
// instead of exchanging it.
func lockFree(t *testing.T, n int, fixed bool) {
	type node struct{ next *node }
	var top atomic.Pointer[node]
	push := func() {
		for {
			old := top.Load()
			this := &node{old}
			if !fixed {
				top.Store(this)
				return
			}
			if top.CompareAndSwap(old, this) {
				return
			}
		}
	}
	together(times(n, push)...)
	depth := 0
	for x := top.Load(); x != nil; x = x.next {
		depth++
	}
	if depth != n {
		t.Errorf("%d of %d nodes", depth, n)
	}
}

func TestLockFreeStack2(t *testing.T)      { lockFree(t, 2, false) }
func TestFixedLockFreeStack3(t *testing.T) { lockFree(t, 3, true) }

// circular is a ring buffer for one producer; with two, both may take the same place.
func circular(t *testing.T, producers int, fixed bool) {
	var slots [8]atomic.Int32
	var tail atomic.Int32
	put := func() {
		i := tail.Load()
		if fixed {
			i = tail.Add(1) - 1
		}
		slots[i].Add(1)
		if !fixed {
			tail.Store(i + 1)
		}
	}
	together(times(producers, put)...)
	for i := range producers {
		if n := slots[i].Load(); n != 1 {
			t.Errorf("%d values in slot %d", n, i)
		}
	}
}

func TestCircularBuffer2(t *testing.T)      { circular(t, 2, false) }
func TestFixedCircularBuffer3(t *testing.T) { circular(t, 3, true) }

// boundedBuffer wakes one waiter although producers and consumers wait for one condition.
func boundedBuffer(t *testing.T, n int, fixed bool) {
	var mu sync.Mutex
	changed := sync.NewCond(&mu)
	full := false
	wake := changed.Signal
	if fixed {
		wake = changed.Broadcast
	}
	move := func(to bool) func() {
		return func() {
			mu.Lock()
			defer mu.Unlock()
			for full == to {
				changed.Wait()
			}
			full = to
			wake()
		}
	}
	together(append(times(n, move(true)), times(n, move(false))...)...)
}

func TestBoundedBuffer3(t *testing.T)      { boundedBuffer(t, 3, false) }
func TestFixedBoundedBuffer3(t *testing.T) { boundedBuffer(t, 3, true) }
