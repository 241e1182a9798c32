// Package kernels is the classic bug kernels of the literature on concurrency testing,
// in our own words and in Go: small programs with one bug of the interleaving each. Each test
// TestX fails under some schedules; TestFixedX is the same program without the bug.
//
// cmd/cooprun, TestKernels, measures how many trials each strategy takes to the bug. Shared
// variables are atomic, so that no kernel has a data race, which would be found instead
// of the bug; the measurement is with -race=false, because looking for races costs time.
// Loops that wait yield: the memory model is sequentially consistent, as the
// algorithms assume.
//
// Most are after the programs of SCTBench (P. Thomson, A. Donaldson and A. Betts,
// Concurrency Testing Using Schedule Bounding, PPoPP 2014) and their sources.
package kernels

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
)

// together runs functions in a goroutine each and waits for all.
func together(fs ...func()) {
	var wg sync.WaitGroup
	wg.Add(len(fs))
	for _, f := range fs {
		go func() {
			defer wg.Done()
			f()
		}()
	}
	wg.Wait()
}

// times returns n times f.
func times(n int, f func()) []func() {
	fs := make([]func(), n)
	for i := range fs {
		fs[i] = f
	}
	return fs
}

// until waits.
func until(cond func() bool) {
	for !cond() {
		runtime.Gosched()
	}
}

// section is a critical section that notices when two goroutines are in it.
type section struct {
	t      *testing.T
	inside atomic.Int32
}

func (s *section) visit() {
	if s.inside.Add(1) != 1 {
		s.t.Error("two goroutines are in the critical section")
	}
	s.inside.Add(-1)
}
