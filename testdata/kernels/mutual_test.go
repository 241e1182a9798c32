package kernels

import (
	"sync/atomic"
	"testing"
)

// An exclusion is an algorithm for n goroutines that guards a critical section.
type exclusion struct {
	n            int
	enter, leave func(i int)
}

// contend has each goroutine visit the critical section.
func contend(t *testing.T, e exclusion, visits int) {
	s := &section{t: t}
	var fs []func()
	for i := range e.n {
		fs = append(fs, func() {
			for range visits {
				e.enter(i)
				s.visit()
				e.leave(i)
			}
		})
	}
	together(fs...)
}

// dekker's algorithm; the buggy one looks at the other's flag before it sets its own.
func dekker(fixed bool) exclusion {
	var wants [2]atomic.Bool
	var turn atomic.Int32
	enter := func(i int) {
		other := 1 - i
		if !fixed {
			until(func() bool { return !wants[other].Load() })
			wants[i].Store(true)
			return
		}
		wants[i].Store(true)
		for wants[other].Load() {
			if turn.Load() != int32(i) {
				wants[i].Store(false)
				until(func() bool { return turn.Load() == int32(i) })
				wants[i].Store(true)
			}
		}
	}
	leave := func(i int) {
		turn.Store(int32(1 - i))
		wants[i].Store(false)
	}
	return exclusion{2, enter, leave}
}

func TestDekker(t *testing.T)      { contend(t, dekker(false), 1) }
func TestFixedDekker(t *testing.T) { contend(t, dekker(true), 1) }

// peterson's algorithm; the buggy one gives way before it says that it wants to enter.
func peterson(fixed bool) exclusion {
	var wants [2]atomic.Bool
	var turn atomic.Int32
	enter := func(i int) {
		other := 1 - i
		if fixed {
			wants[i].Store(true)
			turn.Store(int32(other))
		} else {
			turn.Store(int32(other))
			wants[i].Store(true)
		}
		until(func() bool { return !wants[other].Load() || turn.Load() == int32(i) })
	}
	return exclusion{2, enter, func(i int) { wants[i].Store(false) }}
}

func TestPeterson(t *testing.T)      { contend(t, peterson(false), 1) }
func TestFixedPeterson(t *testing.T) { contend(t, peterson(true), 1) }

// szymanski's algorithm for n goroutines: 1 wants to enter, 2 waits for others in the waiting room, 3 is
// in the door, 4 has closed it. The buggy one does not look whether the door is closed.
func szymanski(n int, fixed bool) exclusion {
	flag := make([]atomic.Int32, n)
	all := func(from, to int, ok func(int32) bool) func() bool {
		return func() bool {
			for j := from; j < to; j++ {
				if !ok(flag[j].Load()) {
					return false
				}
			}
			return true
		}
	}
	enter := func(i int) {
		flag[i].Store(1)
		if fixed {
			until(all(0, n, func(f int32) bool { return f < 3 }))
		}
		flag[i].Store(3)
		if !all(0, n, func(f int32) bool { return f != 1 })() {
			flag[i].Store(2)
			until(func() bool { return !all(0, n, func(f int32) bool { return f != 4 })() })
		}
		flag[i].Store(4)
		until(all(0, i, func(f int32) bool { return f < 2 }))
	}
	leave := func(i int) {
		until(all(i+1, n, func(f int32) bool { return f < 2 || f > 3 }))
		flag[i].Store(0)
	}
	return exclusion{n, enter, leave}
}

func TestSzymanski2(t *testing.T)      { contend(t, szymanski(2, false), 1) }
func TestSzymanski3(t *testing.T)      { contend(t, szymanski(3, false), 1) }
func TestFixedSzymanski2(t *testing.T) { contend(t, szymanski(2, true), 1) }

// bakery is Lamport's bakery algorithm; the buggy one does not say that it is choosing a number.
func bakery(n int, fixed bool) exclusion {
	choosing := make([]atomic.Bool, n)
	number := make([]atomic.Int32, n)
	enter := func(i int) {
		choosing[i].Store(fixed)
		highest := int32(0)
		for j := range n {
			highest = max(highest, number[j].Load())
		}
		number[i].Store(highest + 1)
		choosing[i].Store(false)
		for j := range n {
			until(func() bool { return !choosing[j].Load() })
			until(func() bool {
				his, mine := number[j].Load(), number[i].Load()
				return his == 0 || his > mine || his == mine && j >= i
			})
		}
	}
	return exclusion{n, enter, func(i int) { number[i].Store(0) }}
}

func TestBakery2(t *testing.T)      { contend(t, bakery(2, false), 1) }
func TestBakery3(t *testing.T)      { contend(t, bakery(3, false), 1) }
func TestFixedBakery2(t *testing.T) { contend(t, bakery(2, true), 1) }

// fast is Lamport's fast mutual exclusion for two; the buggy one does not look at y a second time.
func fast(fixed bool) exclusion {
	var x, y atomic.Int32
	var b [2]atomic.Bool
	enter := func(i int) {
		me := int32(i + 1)
		for {
			b[i].Store(true)
			x.Store(me)
			if y.Load() != 0 {
				b[i].Store(false)
				until(func() bool { return y.Load() == 0 })
				continue
			}
			y.Store(me)
			if x.Load() == me {
				return
			}
			b[i].Store(false)
			for j := range b {
				until(func() bool { return !b[j].Load() })
			}
			if !fixed || y.Load() == me {
				return
			}
			until(func() bool { return y.Load() == 0 })
		}
	}
	leave := func(i int) {
		y.Store(0)
		b[i].Store(false)
	}
	return exclusion{2, enter, leave}
}

func TestLamportFast(t *testing.T)      { contend(t, fast(false), 2) }
func TestFixedLamportFast(t *testing.T) { contend(t, fast(true), 2) }
