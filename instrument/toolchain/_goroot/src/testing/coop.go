package testing

import (
	"bytes"
	"context"
	"coop/conductor"
	"coop/sched"
	"flag"
	"fmt"
	"os"
	"reflect"
	"runtime"
	"sync"
)

// coopWorker makes the test binary a worker of cooprun, if that has started it.
func coopWorker(m *M) bool {
	if !conductor.Requested() {
		return false
	}
	if !coopFlagSet("test.parallel") {
		*parallel = coopParallel
	}
	coopQuiet = true
	benchTime.n = 1 // testing.Benchmark would wait for the virtual clock
	stack := coopCallers()
	var tests []conductor.Test
	for i := range m.tests {
		t := &m.tests[i]
		tests = append(tests, conductor.Test{
			TestInfo: sched.TestInfo{Name: t.Name, Kind: "test"},
			Start:    func(o *conductor.Outcome) conductor.Run { return stack.test(coopStartTest(m, t, o)) },
		})
	}
	for i := range m.fuzzTargets {
		ft := &m.fuzzTargets[i]
		tests = append(tests, conductor.Test{
			TestInfo: sched.TestInfo{Name: ft.Name, Kind: "fuzz"},
			Start:    func(o *conductor.Outcome) conductor.Run { return stack.fuzz(coopStartFuzz(m, ft, o)) },
		})
	}
	for i := range m.examples {
		eg := m.examples[i]
		tests = append(tests, conductor.Test{
			TestInfo: sched.TestInfo{Name: eg.Name, Kind: "example"},
			Start:    func(o *conductor.Outcome) conductor.Run { return stack.example(coopStartExample(eg, o)) },
		})
	}
	if err := conductor.Serve(tests); err != nil {
		fmt.Fprintln(os.Stderr, err)
		m.exitCode = 3
	}
	return true
}

// coopParallel is the default of -parallel: a worker has one processor, but the
// schedules are those of a machine with several.
const coopParallel = 8

// coopQuiet: nobody reads the report of a test that has passed.
var coopQuiet bool

func coopFlagSet(name string) (set bool) {
	flag.Visit(func(f *flag.Flag) { set = set || f.Name == name })
	return set
}

// coopTop is what tests and fuzz tests have in common: one, and what runs it.
type coopTop struct {
	root  T
	out   coopBuffer
	match matcher
}

// start prepares c, whose signal has room for all that is sent, for a run, as runTests and
// runFuzzTests do, up to the go statement. Nobody waits for the test: its parent's barrier
// is open.
func (r *coopTop) start(m *M, c *common, name string, o *conductor.Outcome) *testState {
	root := &r.root.common
	root.w = &r.out
	root.barrier = coopOpen
	root.coopPaths(m)
	c.parent = root
	c.barrier = make(chan bool)
	c.name = name
	c.level = 1
	c.ctx, c.cancelCtx = context.WithCancel(context.Background())
	c.coopPaths(m)
	c.w = indenter{c}
	c.setOutputWriter()
	o.Output = r.out.String
	coopCause.reset()
	r.match.filter, r.match.skip = coopEvery.filter, coopEvery.skip
	r.match.matchFunc, r.match.subNames = coopEvery.matchFunc, map[string]int32{}
	return newTestState(*parallel, &r.match)
}

// end tells what became of the run.
func (r *coopTop) end(c *common, o *conductor.Outcome) {
	o.Failed, o.Skipped = r.root.Failed(), c.Skipped()
	o.Cause = coopCause.text()
	r.root.done = true // as after the last test: what logs now, logs too late
}

// coopStartTest starts one top-level test.
func coopStartTest(m *M, test *InternalTest, o *conductor.Outcome) conductor.Run {
	r := &struct {
		coopTop
		t T
	}{}
	t := &r.t
	t.signal = make(chan bool, 2) // from Parallel and from the end
	t.tstate = r.start(m, &t.common, test.Name, o)
	return conductor.Run{
		Go: func() { go tRunner(t, test.F) },
		Wait: func() {
			for ended := false; !ended; { // Parallel sends a signal, too
				<-t.signal
				t.mu.RLock()
				ended = t.done
				t.mu.RUnlock()
			}
		},
		End: func() { r.end(&t.common, o) },
	}
}

// coopStartFuzz starts a fuzz test, with its seed corpus only.
func coopStartFuzz(m *M, test *InternalFuzzTarget, o *conductor.Outcome) conductor.Run {
	r := &struct {
		coopTop
		f F
	}{}
	f := &r.f
	f.signal = make(chan bool, 1)
	f.tstate = r.start(m, &f.common, test.Name, o)
	f.fstate = &fuzzState{deps: m.deps, mode: seedCorpusOnly}
	return conductor.Run{
		Go:   func() { go fRunner(f, test.Fn) },
		Wait: func() { <-f.signal },
		End:  func() { r.end(&f.common, o) },
	}
}

// coopEvery matches all subtests.
var coopEvery = allMatcher()

// coopOpen is a barrier that lets everybody pass.
var coopOpen = func() chan bool {
	c := make(chan bool)
	close(c)
	return c
}()

func coopStartExample(eg InternalExample, o *conductor.Outcome) conductor.Run {
	o.Output = func() string { return "the output of the example differs from its comment" }
	all := func(_, _ string) (bool, error) { return true, nil }
	return conductor.Function(func() {
		_, ok := runExamples(all, []InternalExample{eg})
		o.Failed = !ok
	})
}

// coopStack is what tests and examples see of the main goroutine's stack under go test:
// return addresses.
type coopStack struct {
	run, fuzzTests uintptr   // in T.Run and in runFuzzTests
	below          []uintptr // from M.Run on
	ofTest, ofFuzz []uintptr // while a test or a fuzz test runs
}

func coopCallers() *coopStack {
	pcs := make([]uintptr, 64)
	s := &coopStack{
		run:       reflect.ValueOf((*T).Run).Pointer() + 1,
		fuzzTests: reflect.ValueOf(runFuzzTests).Pointer() + 1,
		below:     pcs[:runtime.Callers(1, pcs)],
	}
	s.ofTest = append([]uintptr{s.run, reflect.ValueOf(tRunner).Pointer() + 1, reflect.ValueOf(runTests).Pointer() + 1}, s.below...)
	s.ofFuzz = append([]uintptr{s.fuzzTests}, s.below...)
	return s
}

// test makes r, the run of a test, one that T.Run has started and waits for.
func (s *coopStack) test(r conductor.Run) conductor.Run {
	r.Starter, r.Main = s.run, s.ofTest
	return r
}

// fuzz makes r, the run of a fuzz test, one that runFuzzTests has started and waits for.
func (s *coopStack) fuzz(r conductor.Run) conductor.Run {
	r.Starter, r.Main = s.fuzzTests, s.ofFuzz
	return r
}

// example makes r, the run of an example, one that the main goroutine performs itself.
func (s *coopStack) example(r conductor.Run) conductor.Run {
	r.Callers = s.below
	return r
}

// coopBuffer is the log of one trial.
type coopBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *coopBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *coopBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}
