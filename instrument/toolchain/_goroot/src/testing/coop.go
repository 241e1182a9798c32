package testing

import (
	"bytes"
	"context"
	"coop/conductor"
	"coop/sched"
	"fmt"
	"os"
	"strings"
	"sync"
)

// coopWorker makes the test binary a worker of cooprun, if that has started it.
func coopWorker(m *M) bool {
	if !conductor.Requested() {
		return false
	}
	var tests []conductor.Test
	for i := range m.tests {
		t := &m.tests[i]
		tests = append(tests, conductor.Test{
			TestInfo: sched.TestInfo{Name: t.Name, Kind: "test"},
			Run:      func() conductor.Outcome { return coopRunTest(m, t.Name, t.F) },
		})
	}
	for i := range m.examples {
		eg := m.examples[i]
		if eg.Output == "" && !eg.Unordered && !strings.HasPrefix(eg.Name, "Example") {
			continue
		}
		tests = append(tests, conductor.Test{
			TestInfo: sched.TestInfo{Name: eg.Name, Kind: "example"},
			Run:      func() conductor.Outcome { return coopRunExample(eg) },
		})
	}
	if err := conductor.Serve(tests); err != nil {
		fmt.Fprintln(os.Stderr, err)
		m.exitCode = 3
	}
	return true
}

// coopRunTest runs one top-level test as runTests does.
func coopRunTest(m *M, name string, f func(*T)) conductor.Outcome {
	ctx, cancel := context.WithCancel(context.Background())
	out := new(coopBuffer)
	root := &T{
		common: common{
			signal:     make(chan bool, 1),
			barrier:    make(chan bool),
			w:          out,
			ctx:        ctx,
			cancelCtx:  cancel,
			modulePath: m.deps.ModulePath(),
			importPath: m.deps.ImportPath(),
		},
		tstate: newTestState(*parallel, newMatcher(m.deps.MatchString, "", "", "")),
	}
	skipped := false
	tRunner(root, func(t *T) {
		t.Run(name, func(t *T) {
			defer func() { skipped = t.Skipped() }()
			f(t)
		})
	})
	<-root.signal
	return conductor.Outcome{Failed: root.Failed(), Skipped: skipped, Output: out.String}
}

func coopRunExample(eg InternalExample) conductor.Outcome {
	ok := runExample(eg)
	return conductor.Outcome{Failed: !ok, Output: func() string { return "the output of the example differs from its comment" }}
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
