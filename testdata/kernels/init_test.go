package kernels

import (
	"sync"
	"sync/atomic"
	"testing"
)

// lazy makes a thing when it is first needed; two may find that it is not there yet.
func lazy(t *testing.T, n int, fixed bool) {
	var thing atomic.Pointer[int]
	var made atomic.Int32
	var once sync.Once
	makeIt := func() {
		made.Add(1)
		thing.Store(new(int))
	}
	get := func() {
		if fixed {
			once.Do(makeIt)
		} else if thing.Load() == nil {
			makeIt()
		}
	}
	together(times(n, get)...)
	if n := made.Load(); n != 1 {
		t.Errorf("made %d times", n)
	}
}

func TestLazyInit2(t *testing.T)      { lazy(t, 2, false) }
func TestFixedLazyInit3(t *testing.T) { lazy(t, 3, true) }

// doubleChecked makes a thing under a lock, but shows it before it is complete.
func doubleChecked(t *testing.T, n int, fixed bool) {
	type thing struct{ parts [3]atomic.Int32 }
	var shown atomic.Pointer[thing]
	var mu sync.Mutex
	get := func() *thing {
		if x := shown.Load(); x != nil {
			return x
		}
		mu.Lock()
		defer mu.Unlock()
		if x := shown.Load(); x != nil {
			return x
		}
		x := new(thing)
		if !fixed {
			shown.Store(x)
		}
		for i := range x.parts {
			x.parts[i].Store(1)
		}
		shown.Store(x)
		return x
	}
	use := func() {
		if x := get(); x.parts[2].Load() == 0 {
			t.Error("the thing is not complete")
		}
	}
	together(times(n, use)...)
}

func TestDoubleChecked2(t *testing.T)      { doubleChecked(t, 2, false) }
func TestFixedDoubleChecked2(t *testing.T) { doubleChecked(t, 2, true) }
