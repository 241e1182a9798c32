package kernels

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
)

// selectLeak gives up waiting for an answer, which then nobody receives.
func selectLeak(places int) {
	answer := make(chan int, places)
	giveUp := make(chan bool)
	go func() { answer <- 1 }()
	go close(giveUp)
	select {
	case <-answer:
	case <-giveUp:
	}
}

func TestSelectLeak(*testing.T)      { selectLeak(0) }
func TestFixedSelectLeak(*testing.T) { selectLeak(1) }

// doubleClose: two goroutines may find the channel open, and close it.
func doubleClose(n int, fixed bool) {
	done := make(chan bool)
	var closed atomic.Bool
	stop := func() {
		if fixed {
			if closed.CompareAndSwap(false, true) {
				close(done)
			}
			return
		}
		if !closed.Load() {
			closed.Store(true)
			close(done)
		}
	}
	together(times(n, stop)...)
}

func TestDoubleClose2(*testing.T)      { doubleClose(2, false) }
func TestFixedDoubleClose3(*testing.T) { doubleClose(3, true) }

// sendOnClosed: a sender looks whether the channel is closed, and sends.
func sendOnClosed(sends int, fixed bool) {
	events := make(chan int, sends)
	var mu sync.Mutex
	closed := false
	together(func() {
		for i := range sends {
			mu.Lock()
			ok := !closed
			if !fixed {
				mu.Unlock()
			}
			if ok {
				events <- i
			}
			if fixed {
				mu.Unlock()
			}
		}
	}, func() {
		mu.Lock()
		defer mu.Unlock()
		closed = true
		close(events)
	})
}

func TestSendOnClosed1(*testing.T)      { sendOnClosed(1, false) }
func TestSendOnClosed5(*testing.T)      { sendOnClosed(5, false) }
func TestFixedSendOnClosed2(*testing.T) { sendOnClosed(2, true) }

// cancelledLate commits although the context is cancelled and the caller has been told so.
func cancelledLate(t *testing.T, fixed bool) {
	ctx, cancel := context.WithCancel(t.Context())
	var mu sync.Mutex
	var told, committed atomic.Bool
	together(func() {
		mu.Lock()
		defer mu.Unlock()
		if ctx.Err() != nil {
			return
		}
		if !fixed {
			mu.Unlock()
			mu.Lock()
		}
		if !fixed && told.Load() {
			t.Error("committed after the caller was told that it is not")
		}
		committed.Store(true)
	}, func() {
		mu.Lock()
		defer mu.Unlock()
		cancel()
		told.Store(!committed.Load())
	})
}

func TestCancelledLate(t *testing.T)      { cancelledLate(t, false) }
func TestFixedCancelledLate(t *testing.T) { cancelledLate(t, true) }

// addInside counts a goroutine in only when it runs, so that Wait may come before.
func addInside(t *testing.T, n int, fixed bool) {
	var wg sync.WaitGroup
	var ended atomic.Int32
	for range n {
		if fixed {
			wg.Add(1)
		}
		go func() {
			if !fixed {
				wg.Add(1)
			}
			defer wg.Done()
			ended.Add(1)
		}()
	}
	wg.Wait()
	if m := ended.Load(); m != int32(n) {
		t.Errorf("%d of %d have ended", m, n)
	}
}

func TestAddInside2(t *testing.T)      { addInside(t, 2, false) }
func TestFixedAddInside3(t *testing.T) { addInside(t, 3, true) }

// readTwice takes a read lock again while it holds it: if a writer comes between, both wait.
func readTwice(fixed bool) {
	var mu sync.RWMutex
	together(func() {
		mu.RLock()
		defer mu.RUnlock()
		if !fixed {
			mu.RLock()
			defer mu.RUnlock()
		}
	}, func() {
		mu.Lock()
		defer mu.Unlock()
	})
}

func TestReadTwice(*testing.T)      { readTwice(false) }
func TestFixedReadTwice(*testing.T) { readTwice(true) }

// captured starts goroutines that use the loop's variable, one for all rounds.
func captured(t *testing.T, n int, fixed bool) {
	seen := make([]atomic.Int32, n+1)
	var wg sync.WaitGroup
	var shared atomic.Int32
	for i := range n {
		shared.Store(int32(i))
		wg.Add(1)
		go func() {
			defer wg.Done()
			if fixed {
				seen[i].Add(1)
			} else {
				seen[shared.Load()].Add(1)
			}
		}()
	}
	wg.Wait()
	for i := range n {
		if seen[i].Load() != 1 {
			t.Errorf("%d is used %d times", i, seen[i].Load())
		}
	}
}

func TestCapturedVariable2(t *testing.T)      { captured(t, 2, false) }
func TestFixedCapturedVariable3(t *testing.T) { captured(t, 3, true) }

// philosophers take the left fork first, all of them.
func philosophers(n int, fixed bool) {
	forks := make([]sync.Mutex, n)
	var fs []func()
	for i := range n {
		left, right := &forks[i], &forks[(i+1)%n]
		if fixed && i == n-1 {
			left, right = right, left
		}
		fs = append(fs, func() {
			left.Lock()
			right.Lock()
			right.Unlock()
			left.Unlock()
		})
	}
	together(fs...)
}

func TestPhilosophers3(*testing.T)      { philosophers(3, false) }
func TestPhilosophers6(*testing.T)      { philosophers(6, false) }
func TestPhilosophers16(*testing.T)     { philosophers(16, false) }
func TestFixedPhilosophers6(*testing.T) { philosophers(6, true) }
