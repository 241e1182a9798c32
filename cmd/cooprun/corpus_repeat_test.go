package main

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coopvet/coop/runner"
	"github.com/coopvet/coop/runner/sched"
)

// testReplay repeats the saved schedule of every failure in fresh processes and wants
// the same execution each time, step by step.
func (c *corpusRun) testReplay(t *testing.T) {
	var mu sync.Mutex
	failures := 0
	parallel(t, c.buggy, func(t *testing.T, p *corpusProgram) {
		dir := t.TempDir()
		for _, f := range c.explore(t, p, "random", buggyTrials, dir).findings {
			text, err := os.ReadFile(f.File)
			if err != nil {
				t.Errorf("%s: no saved schedule: %v", f.Test, err)
				continue
			}
			s, err := sched.ParseSchedule(text)
			if err != nil {
				t.Fatal(err)
			}
			c.replay(t, p, s)
			mu.Lock()
			failures++
			mu.Unlock()
		}
	})
	t.Logf("%d failures repeat exactly, %d times each", failures, c.replays)
}

// replay repeats one schedule.
func (c *corpusRun) replay(t *testing.T, p *corpusProgram, s *sched.Schedule) {
	job := &sched.Job{
		Test: s.Test, MaxSteps: s.MaxSteps, Clock: s.Clock, Leak: s.Leak, Race: s.Race, Cold: s.Cold, Trace: true,
		Replay: []sched.Replay{s.Replay()},
	}
	var first sched.TrialRecord
	for i := range c.replays {
		session := runner.NewSession(p.target, &c.opts)
		r, err := session.Do(t.Context(), job)
		session.Close()
		if err != nil {
			t.Fatalf("%s: %v", s.Test, err)
		}
		again := *r.Last
		switch {
		case again.Failure == nil || again.Failure.Kind != s.Kind:
			t.Errorf("%s: repetition %d: failure %+v instead of %s", s.Test, i+1, again.Failure, s.Kind)
			return
		case again.Divergence != nil:
			t.Errorf("%s: repetition %d leaves the schedule at step %d: %s", s.Test, i+1, again.Divergence.Step, again.Divergence.Reason)
			return
		case len(again.Decisions) < len(s.Decisions) || !s.Turns && len(again.Decisions) > len(s.Decisions) || !slices.Equal(again.Decisions[:len(s.Decisions)], s.Tasks()):
			t.Errorf("%s: repetition %d makes other decisions:\n%v\n%v", s.Test, i+1, s.Tasks(), again.Decisions)
			return
		case i == 0:
			first = again
		}
		if d := difference(&first, &again); d != "" {
			t.Errorf("%s: repetition %d differs: %s", s.Test, i+1, d)
			return
		}
	}
}

// difference says where two executions differ; "" if they do not. A trial that ends
// its process leaves neither steps nor hash, but its decisions and its failure.
func difference(a, b *sched.TrialRecord) string {
	for i := range min(len(a.Steps), len(b.Steps)) {
		x, y := a.Steps[i], b.Steps[i]
		x.Addr, y.Addr = 0, 0 // addresses may differ between processes
		if !reflect.DeepEqual(x, y) {
			return fmt.Sprintf("step %d\n%+v\n%+v", i+1, x, y)
		}
	}
	if len(a.Steps) != len(b.Steps) || a.Hash != b.Hash {
		return fmt.Sprintf("%d steps, hash %x, and %d steps, hash %x", len(a.Steps), a.Hash, len(b.Steps), b.Hash)
	}
	switch {
	case !slices.Equal(a.Decisions, b.Decisions):
		return fmt.Sprintf("decisions\n%v\n%v", a.Decisions, b.Decisions)
	case (a.Failure == nil) != (b.Failure == nil):
		return fmt.Sprintf("failures %+v and %+v", a.Failure, b.Failure)
	case a.Failure != nil && a.Failure.Key != b.Failure.Key:
		return fmt.Sprintf("failures %s and %s", a.Failure.Key, b.Failure.Key)
	}
	return ""
}

// seedsAtOnce bounds the records that are in memory.
const seedsAtOnce = 100

// testDeterminism runs every seed twice: in ascending order in one process and, a hundred
// at a time, in descending order in another, so that what a trial leaves behind shows.
func (c *corpusRun) testDeterminism(t *testing.T) {
	var mu sync.Mutex
	trials, distinct := 0, 0
	parallel(t, slices.Concat(c.buggy, c.clean), func(t *testing.T, p *corpusProgram) {
		for _, r := range c.explore(t, p, "random", 1, t.TempDir()).results {
			up, down := runner.NewSession(p.target, &c.opts), runner.NewSession(p.target, &c.opts)
			defer up.Close()
			defer down.Close()
			hashes := make(map[uint64]bool)
			for from := 0; from < c.seeds; from += seedsAtOnce {
				if !c.twice(t, up, down, r.Test, from, min(from+seedsAtOnce, c.seeds), hashes) {
					break
				}
			}
			mu.Lock()
			trials += c.seeds
			distinct += len(hashes)
			mu.Unlock()
		}
	})
	t.Logf("%d seeds repeat, %d different executions", trials, distinct)
}

// twice compares the trials from up to to of two processes, and adds their hashes. It
// reports whether they are equal.
func (c *corpusRun) twice(t *testing.T, up, down *runner.Session, test string, from, to int, hashes map[uint64]bool) bool {
	t.Helper()
	n := to - from
	first, again := make([]sched.TrialRecord, n), make([]sched.TrialRecord, n)
	for i := range n {
		first[i] = c.trial(t, up, test, from+i)
		again[n-1-i] = c.trial(t, down, test, to-1-i)
	}
	for i := range first {
		if d := difference(&first[i], &again[i]); d != "" {
			t.Errorf("%s: seed %d: %s", test, from+i, d)
			return false
		}
		hashes[first[i].Hash] = true
	}
	return true
}

// repeatStrategies have no memory. What the default strategy does follows from how long the
// warm-up was, too, which with real input and output is not the same in all processes.
var repeatStrategies = []string{"random", "rapos"}

// trial runs one trial and returns its record.
func (c *corpusRun) trial(t *testing.T, s *runner.Session, test string, trial int) sched.TrialRecord {
	t.Helper()
	strategy := repeatStrategies[trial%len(repeatStrategies)]
	r, err := s.Do(t.Context(), &sched.Job{
		Test: test, Strategy: strategy, Seed: c.opts.Seed, First: trial, Count: 1, MaxSteps: c.opts.MaxSteps,
		Clock: "idle", Leak: true, Race: true, KeepOn: true, Trace: true,
	})
	if err != nil {
		t.Fatalf("%s: seed %d: %v", test, trial, err)
	}
	return *r.Last
}

// testMemory explores a test that deadlocks in many schedules, whose tasks all stay in
// the worker's memory, and wants workers that stay below half a GiB.
func (c *corpusRun) testMemory(t *testing.T) {
	const limit = 512 << 20
	i := slices.IndexFunc(c.buggy, func(p *corpusProgram) bool { return slices.Equal(p.expect, []string{"deadlock"}) })
	p := c.buggy[i]
	stop := make(chan struct{})
	peak := make(chan int64)
	go func() { peak <- peakMemory(p.target.Binary, stop) }()
	opts := c.opts
	opts.Trials, opts.KeepGoing, opts.SaveDir = c.trials, true, t.TempDir()
	e := new(events)
	_, err := runner.Explore(t.Context(), p.target, &opts, e)
	close(stop)
	used := <-peak
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range e.results {
		t.Logf("%s: %s: %d trials in %.1fs; at most %d MiB", p.name, r.Test, r.Trials, r.Seconds, used>>20)
		if r.Trials != c.trials {
			t.Errorf("%s: %d trials instead of %d", r.Test, r.Trials, c.trials)
		}
	}
	for _, f := range e.findings {
		if f.Kind != "deadlock" {
			t.Errorf("%s: %s: %s", f.Test, f.Kind, f.Message)
		}
	}
	switch {
	case used == 0:
		t.Skip("the system does not tell the memory of processes")
	case used >= limit:
		t.Errorf("a worker used %d MiB", used>>20)
	}
}

// peakMemory watches the processes of a binary until stop is closed and returns the
// largest resident size in bytes that one of them had; 0 where there is no /proc.
func peakMemory(binary string, stop chan struct{}) (peak int64) {
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-stop:
			return peak
		case <-tick.C:
		}
		processes, _ := filepath.Glob("/proc/[0-9]*")
		for _, dir := range processes {
			if exe, err := os.Readlink(dir + "/exe"); err != nil || exe != binary {
				continue
			}
			status, _ := os.ReadFile(dir + "/status")
			_, rest, _ := strings.Cut(string(status), "VmHWM:")
			if fields := strings.Fields(rest); len(fields) > 1 {
				kb, _ := strconv.ParseInt(fields[0], 10, 64)
				peak = max(peak, kb<<10)
			}
		}
	}
}
