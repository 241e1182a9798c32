// Package sampler is small programs whose probabilities are known exactly, see
// probabilities.txt: cmd/cooprun, TestSamplers, runs them many times under each
// strategy. They are the experiments of runner/strategy, exact_test.go, operation by
// operation: goroutines are started without a scheduling point between them, and what they do is
// atomic operations and locks only.
//
// Programs count how they end. The counts are left in the process, and
// TestOutcomes reports and clears them.
package sampler

import (
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

var (
	x, y   atomic.Int32
	own    [16]atomic.Int32 // each used by one goroutine alone
	mu     sync.Mutex
	wg     sync.WaitGroup
	trials int
	events int
)

// note counts a trial; the first one of a process is not a schedule of the strategy's.
func note(event bool) {
	trials++
	if event {
		events++
	}
	x.Store(0)
	y.Store(0)
}

func TestOutcomes(t *testing.T) {
	var b strings.Builder
	fmt.Fprintf(&b, "events %d of %d", events, trials)
	trials, events = 0, 0
	t.Fatal(b.String())
}

// two runs two goroutines.
func two(a, b func()) {
	wg.Add(2)
	go finish(a)
	go finish(b)
	wg.Wait()
}

// three runs three goroutines.
func three(a, b, c func()) {
	wg.Add(3)
	go finish(a)
	go finish(b)
	go finish(c)
	wg.Wait()
}

func finish(f func()) {
	f()
	wg.Done()
}

func figure1(m int) {
	two(func() {
		for i := range m {
			own[i].Store(1)
		}
		x.Store(1)
	}, func() { x.Store(2) })
	note(x.Load() == 2)
}

func TestFigure1of1(t *testing.T)  { figure1(1) }
func TestFigure1of3(t *testing.T)  { figure1(3) }
func TestFigure1of10(t *testing.T) { figure1(10) }

func increment() { x.Store(x.Load() + 1) }

func TestLostUpdate(t *testing.T) {
	two(increment, increment)
	note(x.Load() == 1)
}

func TestThreeWriters(t *testing.T) {
	three(func() {
		own[0].Store(1)
		own[1].Store(1)
		x.Store(1)
	}, func() {
		own[2].Store(1)
		x.Store(2)
	}, func() { x.Store(3) })
	note(x.Load() == 1)
}

func TestSandwich(t *testing.T) {
	two(func() {
		first := x.Load()
		second := x.Load()
		own[0].Store(second - first)
	}, func() { x.Store(1) })
	note(own[0].Load() == 1)
}

func TestMessagePassing(t *testing.T) {
	two(func() {
		x.Store(1)
		y.Store(1)
	}, func() {
		flag := y.Load()
		own[0].Store(x.Load() - flag)
	})
	note(own[0].Load() == 1)
}

func TestStoreBuffering(t *testing.T) {
	two(func() {
		x.Store(1)
		own[0].Store(y.Load())
	}, func() {
		y.Store(1)
		own[1].Store(x.Load())
	})
	note(own[0].Load()+own[1].Load() == 2)
}

func TestLostUpdate3(t *testing.T) {
	three(increment, increment, increment)
	note(x.Load() == 1)
}

func TestLocked(t *testing.T) {
	two(func() {
		mu.Lock()
		x.Store(1)
		mu.Unlock()
		mu.Lock()
		x.Store(2)
		mu.Unlock()
	}, func() {
		mu.Lock()
		seen := x.Load()
		mu.Unlock()
		own[0].Store(seen)
	})
	note(own[0].Load() == 1)
}

func incrementBoth() {
	x.Store(x.Load() + 1)
	y.Store(y.Load() + 1)
}

func TestTwoUpdates(t *testing.T) {
	two(incrementBoth, incrementBoth)
	note(x.Load()+y.Load() == 2)
}
