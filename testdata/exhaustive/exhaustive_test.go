// Package exhaustive is small programs whose number of classes, executions that differ in
// the order of dependent operations, is known: cmd/cooprun, TestExhaustive, explores them.
package exhaustive

import (
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// together runs goroutines and waits for them.
func together(fs ...func()) {
	var wg sync.WaitGroup
	wg.Add(len(fs))
	for _, f := range fs {
		go func() {
			f()
			wg.Done()
		}()
	}
	wg.Wait()
}

// same returns n times f.
func same(n int, f func()) (fs []func()) {
	for range n {
		fs = append(fs, f)
	}
	return fs
}

// readers: one writes, n read: each read comes before or after the write. 2^n.
func readers(n int) {
	var x atomic.Int32
	together(append(same(n, func() { x.Load() }), func() { x.Store(1) })...)
}

func TestReaders1(t *testing.T)  { readers(1) }
func TestReaders4(t *testing.T)  { readers(4) }
func TestReaders10(t *testing.T) { readers(10) }

// adds: each adds once to one variable. n!.
func adds(n int) {
	var x atomic.Int32
	together(same(n, func() { x.Add(1) })...)
}

func TestAdds2(t *testing.T) { adds(2) }
func TestAdds4(t *testing.T) { adds(4) }
func TestAdds6(t *testing.T) { adds(6) }

// lastZero of Abdulla et al., 2014, section 1: (n+3)·2^(n-2).
func lastZero(n int) {
	a := make([]atomic.Int32, n+1)
	fs := []func(){func() {
		for i := n; a[i].Load() != 0; i-- {
		}
	}}
	for j := 1; j <= n; j++ {
		fs = append(fs, func() { a[j].Store(a[j-1].Load() + 1) })
	}
	together(fs...)
}

func TestLastZero2(t *testing.T)  { lastZero(2) }
func TestLastZero5(t *testing.T)  { lastZero(5) }
func TestLastZero10(t *testing.T) { lastZero(10) }

// indexer of Flanagan and Godefroid, 2005: goroutines enter hashes in a table; only from 12 of them
// on do some collide. 8 for 12.
func indexer(n int) {
	const size, max = 128, 4
	table := make([]atomic.Int32, size)
	var fs []func()
	for tid := range n {
		fs = append(fs, func() {
			for m := 0; m < max; {
				m++
				w := int32(m*11 + tid)
				h := int(w*7) % size
				for !table[h].CompareAndSwap(0, w) {
					h = (h + 1) % size
				}
			}
		})
	}
	together(fs...)
}

func TestIndexer11(t *testing.T) { indexer(11) }
func TestIndexer12(t *testing.T) { indexer(12) }

// philosophers with n forks; each takes the lower one first, if they are ordered.
func philosophers(n int, ordered bool) {
	forks := make([]sync.Mutex, n)
	var fs []func()
	for i := range n {
		a, b := i, (i+1)%n
		if ordered && a > b {
			a, b = b, a
		}
		fs = append(fs, func() {
			forks[a].Lock()
			forks[b].Lock()
			forks[b].Unlock()
			forks[a].Unlock()
		})
	}
	together(fs...)
}

func TestPhilosophers3(t *testing.T) { philosophers(3, false) }
func TestOrdered2(t *testing.T)      { philosophers(2, true) }
func TestOrdered3(t *testing.T)      { philosophers(3, true) }
func TestOrdered4(t *testing.T)      { philosophers(4, true) }

func TestLostUpdate(t *testing.T) {
	var x atomic.Int32
	together(same(2, func() { x.Store(x.Load() + 1) })...)
}

func TestLostUpdate3(t *testing.T) {
	var x atomic.Int32
	together(same(3, func() { x.Store(x.Load() + 1) })...)
}

func TestStoreBuffering(t *testing.T) {
	var x, y atomic.Int32
	together(func() {
		x.Store(1)
		y.Load()
	}, func() {
		y.Store(1)
		x.Load()
	})
}

// The second reads only what the first has made it read.
func TestMessagePassing(t *testing.T) {
	var data, flag atomic.Int32
	together(func() {
		data.Store(1)
		flag.Store(1)
	}, func() {
		if flag.Load() == 1 {
			data.Load()
		}
	})
}

func TestLocked3(t *testing.T) {
	var mu sync.Mutex
	x := 0
	together(same(3, func() {
		mu.Lock()
		x++
		mu.Unlock()
	})...)
}

func TestTryLock(t *testing.T) {
	var mu sync.Mutex
	var x atomic.Int32
	together(func() {
		mu.Lock()
		x.Store(1)
		mu.Unlock()
	}, func() {
		if mu.TryLock() {
			x.Load()
			mu.Unlock()
		}
	})
}

func TestReadersWriter(t *testing.T) {
	var mu sync.RWMutex
	x := 0
	read := func() {
		mu.RLock()
		_ = x
		mu.RUnlock()
	}
	together(read, read, func() {
		mu.Lock()
		x++
		mu.Unlock()
	})
}

// Two send to a channel with room for both, one receives twice.
func TestBuffered(t *testing.T) {
	c := make(chan int, 2)
	together(func() { c <- 1 }, func() { c <- 2 }, func() {
		<-c
		<-c
	})
}

func TestUnbuffered(t *testing.T) {
	c := make(chan int)
	together(func() { c <- 1 }, func() { c <- 2 }, func() {
		<-c
		<-c
	})
}

// When the select runs, none, one or both of the channels are ready.
func TestSelect(t *testing.T) {
	a, b := make(chan int, 1), make(chan int, 1)
	together(func() { a <- 1 }, func() { b <- 1 }, func() {
		select {
		case <-a:
		case <-b:
		}
	})
}

// Three cases are always ready.
func TestSelectReady(t *testing.T) {
	var cs [3]chan int
	for i := range cs {
		cs[i] = make(chan int, 1)
		cs[i] <- i
	}
	select {
	case <-cs[0]:
	case <-cs[1]:
	case <-cs[2]:
	}
}

func TestCond(t *testing.T) {
	var mu sync.Mutex
	c := sync.NewCond(&mu)
	ready := false
	together(func() {
		mu.Lock()
		for !ready {
			c.Wait()
		}
		mu.Unlock()
	}, func() {
		mu.Lock()
		ready = true
		mu.Unlock()
		c.Signal()
	})
}

// A goroutine that starts another one.
func TestNested(t *testing.T) {
	var x atomic.Int32
	together(func() {
		x.Add(1)
		together(func() { x.Add(1) })
	}, func() { x.Add(1) })
}

// Goroutines that have nothing to do with each other: one class.
func TestIndependent(t *testing.T) {
	var xs [3]atomic.Int32
	together(func() { xs[0].Add(1) }, func() { xs[1].Add(1) }, func() { xs[2].Add(1) })
}

// Two variables, of which each goroutine writes one and reads the other, twice.
func TestMixed(t *testing.T) {
	var x, y atomic.Int32
	together(func() {
		x.Store(1)
		y.Load()
		x.Store(2)
	}, func() {
		y.Store(1)
		x.Load()
	})
}

// A WaitGroup that two wait for.
func TestCounted(t *testing.T) {
	var wg sync.WaitGroup
	var x atomic.Int32
	wg.Add(1)
	together(func() {
		x.Store(1)
		wg.Done()
	}, func() {
		wg.Wait()
		x.Load()
	}, func() {
		wg.Wait()
		x.Store(2)
	})
}

// Only one case fails: that the second update is lost and the reader comes last.
func TestNeedle(t *testing.T) {
	var x, seen atomic.Int32
	together(func() { x.Store(x.Load() + 1) }, func() { x.Store(x.Load() + 1) }, func() { seen.Store(x.Load()) })
	if x.Load() == 1 && seen.Load() == 1 {
		t.Error("an update is lost, and seen")
	}
}

// Only taking the first channel each time fails.
func TestSelectNeedle(t *testing.T) {
	a, b := make(chan int, 1), make(chan int, 1)
	first := 0
	for range 5 {
		a <- 1
		b <- 1
		select {
		case <-a:
			<-b
			first++
		case <-b:
			<-a
		}
	}
	if first == 5 {
		t.Error("always the first")
	}
}

// bubbled: readers twice, and between them all sleep until the bubble's clock moves. 4^n.
func bubbled(t *testing.T, n int) {
	synctest.Test(t, func(*testing.T) {
		var x, y atomic.Int32
		fs := same(n, func() { x.Load(); time.Sleep(time.Second); y.Load() })
		for _, f := range append(fs, func() { x.Store(1); time.Sleep(time.Second); y.Store(1) }) {
			go f()
		}
		time.Sleep(time.Minute)
	})
}

func TestBubbled1(t *testing.T) { bubbled(t, 1) }
func TestBubbled3(t *testing.T) { bubbled(t, 3) }

// TestRest: what one goroutine of a bubble waits for is that the others do, whichever is
// the last: each of the two reads comes before or after the write. 4.
func TestRest(t *testing.T) {
	synctest.Test(t, func(*testing.T) {
		var x atomic.Int32
		var stops []chan int
		for _, f := range append(same(2, func() { x.Load() }), func() { x.Store(1) }) {
			stop := make(chan int)
			stops = append(stops, stop)
			go func() { f(); <-stop }()
		}
		synctest.Wait()
		for _, stop := range stops {
			close(stop)
		}
	})
}

// TestBeside: a goroutine that is in no bubble may go on when that of another one rests.
func TestBeside(t *testing.T) {
	var x atomic.Int32
	together(func() { x.Store(1) }, func() {
		synctest.Test(t, func(*testing.T) {
			time.Sleep(time.Second)
			x.Load()
		})
	})
}

// TestDrawn: what random numbers and the order of a map lead to is never known to be all.
func TestDrawn(*testing.T) {
	for range map[int]bool{1: true, 2: true} {
		return
	}
}

// TestSingle: there is one order of one element.
func TestSingle(*testing.T) {
	for range map[int]bool{1: true} {
		return
	}
}

// TestUnlucky needs a certain random number.
func TestUnlucky(t *testing.T) {
	if rand.IntN(50) == 7 {
		t.Error("7")
	}
}

// TestTie: of two timers of a bubble that are due at the same time, either may be first.
func TestTie(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := time.After(time.Second), time.After(time.Second)
		select {
		case <-a:
		case <-b:
			t.Error("b")
		}
	})
}

// TestUntied: the other way round.
func TestUntied(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := time.After(time.Second), time.After(time.Second)
		select {
		case <-a:
			t.Error("a")
		case <-b:
		}
	})
}
