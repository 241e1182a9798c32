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

// coopStartTest does for one top-level test what runTests and T.Run do, up to the go
// statement. Nobody waits for the test: its parent's barrier is open, and there is room
// for both signals that it may send, from Parallel and from its end.
func coopStartTest(m *M, test *InternalTest, o *conductor.Outcome) conductor.Run {
	r := &struct {
		root, t T
		out     coopBuffer
	}{}
	root, t := &r.root, &r.t
	root.w = &r.out
	root.barrier = coopOpen
	root.coopPaths(m)
	t.parent = &root.common
	t.barrier = make(chan bool)
	t.signal = make(chan bool, 2)
	t.name = test.Name
	t.level = 1
	t.ctx, t.cancelCtx = context.WithCancel(context.Background())
	t.tstate = newTestState(*parallel, newMatcher(m.deps.MatchString, "", "", ""))
	t.coopPaths(m)
	t.w = indenter{&t.common}
	t.setOutputWriter()
	o.Output = r.out.String
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
		End: func() {
			o.Failed, o.Skipped = root.Failed(), t.Skipped()
			root.done = true // as after the last test: what logs now, logs too late
		},
	}
}

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

// coopStack is the part of the main goroutine's stack that tests and examples look at
// under go test: return addresses, from that in M.Run on.
type coopStack []uintptr

// coopCallers returns the program's part of the stack.
func coopCallers() coopStack {
	pcs := make([]uintptr, 64)
	return pcs[:runtime.Callers(1, pcs)]
}

// test makes r, the run of a test, one that T.Run has started and waits for.
func (s coopStack) test(r conductor.Run) conductor.Run {
	run := reflect.ValueOf((*T).Run).Pointer() + 1
	r.Starter = run
	r.Main = append([]uintptr{run, reflect.ValueOf(tRunner).Pointer() + 1, reflect.ValueOf(runTests).Pointer() + 1}, s...)
	return r
}

// example makes r, the run of an example, one that the main goroutine performs itself.
func (s coopStack) example(r conductor.Run) conductor.Run {
	r.Callers = s
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
