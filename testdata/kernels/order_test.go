package kernels

import (
	"sync"
	"sync/atomic"
	"testing"
)

// reorder: k-1 goroutines set two fields one after the other, one looks at both.
func reorder(t *testing.T, k int, mu sync.Locker) {
	var a, b atomic.Int32
	set := func() {
		mu.Lock()
		a.Store(1)
		b.Store(-1)
		mu.Unlock()
	}
	check := func() {
		mu.Lock()
		defer mu.Unlock()
		if x, y := a.Load(), b.Load(); x+y != 0 {
			t.Errorf("saw %d and %d", x, y)
		}
	}
	together(append(times(k-1, set), check)...)
}

// unlocked is a lock that does nothing.
type unlocked struct{}

func (unlocked) Lock()   {}
func (unlocked) Unlock() {}

func TestReorder3(t *testing.T)      { reorder(t, 3, unlocked{}) }
func TestReorder5(t *testing.T)      { reorder(t, 5, unlocked{}) }
func TestReorder10(t *testing.T)     { reorder(t, 10, unlocked{}) }
func TestReorder20(t *testing.T)     { reorder(t, 20, unlocked{}) }
func TestFixedReorder5(t *testing.T) { reorder(t, 5, new(sync.Mutex)) }

// twoStage: the second field follows from the first, but each has a lock of its own.
func twoStage(t *testing.T, writers, readers int, fixed bool) {
	var first, second sync.Mutex
	between := func() { // the one critical section and the other
		first.Unlock()
		second.Lock()
	}
	end := second.Unlock
	if fixed {
		between, end = func() {}, first.Unlock
	}
	var a, b atomic.Int32
	write := func() {
		first.Lock()
		a.Store(1)
		between()
		b.Store(2)
		end()
	}
	read := func() {
		first.Lock()
		x := a.Load()
		if x == 0 {
			first.Unlock()
			return
		}
		between()
		defer end()
		if y := b.Load(); y != x+1 {
			t.Errorf("saw %d and %d", x, y)
		}
	}
	together(append(times(writers, write), times(readers, read)...)...)
}

func TestTwoStage2(t *testing.T)      { twoStage(t, 1, 1, false) }
func TestTwoStage20(t *testing.T)     { twoStage(t, 19, 1, false) }
func TestTwoStage50(t *testing.T)     { twoStage(t, 49, 1, false) }
func TestFixedTwoStage5(t *testing.T) { twoStage(t, 3, 2, true) }

// wrongLock: one goroutine takes one lock, k take another one, for the same counter.
func wrongLock(t *testing.T, k int, right, wrong sync.Locker) {
	var n atomic.Int32
	add := func(mu sync.Locker) func() {
		return func() {
			mu.Lock()
			defer mu.Unlock()
			x := n.Load()
			n.Store(x + 1)
			if y := n.Load(); y != x+1 {
				t.Errorf("%d, want %d", y, x+1)
			}
		}
	}
	together(append(times(k, add(wrong)), add(right))...)
}

func TestWrongLock1(t *testing.T) { wrongLock(t, 1, new(sync.Mutex), new(sync.Mutex)) }
func TestWrongLock3(t *testing.T) { wrongLock(t, 3, new(sync.Mutex), new(sync.Mutex)) }
func TestWrongLock8(t *testing.T) { wrongLock(t, 8, new(sync.Mutex), new(sync.Mutex)) }
func TestFixedWrongLock3(t *testing.T) {
	mu := new(sync.Mutex)
	wrongLock(t, 3, mu, mu)
}

// lateReader looks once at what another goroutine does in many steps, and is wrong if
// that is at one place near the end: after the last step, before the announcement.
func lateReader(t *testing.T, n int, fixed bool) {
	var steps atomic.Int32
	var done atomic.Bool
	work := func() {
		if fixed {
			done.Store(true)
		}
		for range n {
			steps.Add(1)
		}
		done.Store(true)
	}
	look := func() {
		if steps.Load() == int32(n) && !done.Load() {
			t.Error("all steps are done, and the end is not announced")
		}
	}
	together(work, look)
}

func TestLateReader20(t *testing.T)      { lateReader(t, 20, false) }
func TestFixedLateReader20(t *testing.T) { lateReader(t, 20, true) }

// tokenRing: n nodes hand a token on; node 0 starts it anew if it does not see it
// anywhere, although it may be between two nodes.
func tokenRing(t *testing.T, n int, fixed bool) {
	at := make([]atomic.Bool, n)
	var tokens atomic.Int32
	at[0].Store(true)
	tokens.Store(1)
	pass := func(i int) func() {
		return func() {
			if at[i].CompareAndSwap(true, false) {
				at[(i+1)%n].Store(true)
			}
		}
	}
	regenerate := func() {
		for i := range at {
			if at[i].Load() {
				return
			}
		}
		if !fixed {
			tokens.Add(1)
		}
	}
	nodes := []func(){regenerate}
	for i := range n {
		nodes = append(nodes, pass(i))
	}
	together(nodes...)
	if n := tokens.Load(); n != 1 {
		t.Errorf("%d tokens", n)
	}
}

func TestTokenRing3(t *testing.T)      { tokenRing(t, 3, false) }
func TestTokenRing6(t *testing.T)      { tokenRing(t, 6, false) }
func TestFixedTokenRing3(t *testing.T) { tokenRing(t, 3, true) }

// withdraw: a balance is checked in one critical section and changed in another.
func withdraw(t *testing.T, n int, fixed bool) {
	var mu sync.Mutex
	balance := 10
	take := func() {
		mu.Lock()
		enough := balance >= 10
		if !fixed {
			mu.Unlock()
			mu.Lock()
		}
		if enough {
			balance -= 10
		}
		mu.Unlock()
	}
	together(times(n, take)...)
	if balance < 0 {
		t.Errorf("balance %d", balance)
	}
}

func TestWithdraw2(t *testing.T)      { withdraw(t, 2, false) }
func TestFixedWithdraw2(t *testing.T) { withdraw(t, 2, true) }
