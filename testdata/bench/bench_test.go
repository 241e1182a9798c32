// Package bench is what cooprun's benchmarks explore; see cmd/cooprun/bench_test.go.
package bench

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
)

// together runs f in n goroutines.
func together(n int, f func()) {
	var wg sync.WaitGroup
	for range n {
		wg.Go(f)
	}
	wg.Wait()
}

// steps is the number of steps that each of n goroutines makes, none of which blocks.
func steps(n int) int { return max(8192/n, 256) }

// atOnce runs f in n goroutines that begin when all are there.
func atOnce(n int, f func()) {
	var start sync.WaitGroup
	start.Add(1)
	var wg sync.WaitGroup
	for range n {
		wg.Go(func() {
			start.Wait()
			f()
		})
	}
	start.Done()
	wg.Wait()
}

// shared makes the steps on one variable, all dependent on each other.
func shared(n int) {
	var x atomic.Int64
	atOnce(n, func() {
		for range steps(n) {
			x.Add(1)
		}
	})
}

// apart makes the steps on different variables, all independent. Each goroutine finds its
// own in shared memory.
func apart(n int) {
	own := make([]atomic.Int64, 8*n)
	var next atomic.Int64
	atOnce(n, func() {
		x := &own[8*next.Add(1)-8]
		for range steps(n) {
			x.Add(1)
		}
	})
}

// locks makes the steps on mutexes, one for each goroutine.
func locks(n int) {
	own := make([]struct {
		sync.Mutex
		_ [56]byte
	}, n)
	var next atomic.Int64
	atOnce(n, func() {
		mu := &own[next.Add(1)-1]
		for range steps(n) {
			mu.Lock()
			mu.Unlock()
		}
	})
}

func TestSteps2(t *testing.T)   { shared(2) }
func TestSteps8(t *testing.T)   { shared(8) }
func TestSteps64(t *testing.T)  { shared(64) }
func TestSteps512(t *testing.T) { shared(512) }

func TestApart2(t *testing.T)   { apart(2) }
func TestApart8(t *testing.T)   { apart(8) }
func TestApart64(t *testing.T)  { apart(64) }
func TestApart512(t *testing.T) { apart(512) }

func TestLocks2(t *testing.T)   { locks(2) }
func TestLocks8(t *testing.T)   { locks(8) }
func TestLocks64(t *testing.T)  { locks(64) }
func TestLocks512(t *testing.T) { locks(512) }

// TestLostUpdate is the smallest program with a lost update. It does not look at the
// result, so that all trials are complete.
func TestLostUpdate(t *testing.T) {
	n := 0
	together(2, func() { n++ })
}

func TestLostUpdateAtomic(t *testing.T) {
	var n atomic.Int64
	together(2, func() { n.Store(n.Load() + 1) })
}

// TestIncrements9 has 18!/(9!·9!) = 48,620 executions that differ, TestIncrements6 924.
func TestIncrements9(t *testing.T) { increments(9) }
func TestIncrements6(t *testing.T) { increments(6) }

func increments(n int) {
	var x atomic.Int64
	together(2, func() {
		for range n {
			x.Add(1)
		}
	})
}

var sink atomic.Pointer[int]

// allocations makes 8192 steps in 4 goroutines and fails if memory was allocated for
// more than a few of them.
func allocations(t *testing.T, step func()) {
	var before, after runtime.MemStats
	var ready, done sync.WaitGroup
	start := make(chan bool)
	ready.Add(4)
	for range 4 {
		done.Go(func() {
			ready.Done()
			<-start
			for range 2048 {
				step()
			}
		})
	}
	ready.Wait()
	runtime.ReadMemStats(&before)
	close(start)
	done.Wait()
	runtime.ReadMemStats(&after)
	if n := after.Mallocs - before.Mallocs; n > 100 {
		t.Errorf("%d allocations in 8192 steps", n)
	}
}

func TestNoAllocation(t *testing.T) {
	var n atomic.Int64
	var mu sync.Mutex
	allocations(t, func() {
		n.Add(1)
		mu.Lock()
		mu.Unlock()
	})
}

// TestAllocation fails: it allocates itself.
func TestAllocation(t *testing.T) {
	allocations(t, func() { sink.Store(new(int)) })
}
