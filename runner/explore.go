package runner

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/coopvet/coop/runner/report"
	"github.com/coopvet/coop/runner/sched"
)

// Stats sums up a package or a run.
type Stats struct {
	Tests    int // that were run
	Failed   int // tests with a finding
	Findings int
	Trials   int
	Errors   int // tests that could not be run

	Violations int // of the claims of the static analysis
}

// Add adds o to s.
func (s *Stats) Add(o Stats) {
	s.Tests += o.Tests
	s.Failed += o.Failed
	s.Findings += o.Findings
	s.Trials += o.Trials
	s.Errors += o.Errors
	s.Violations += o.Violations
}

// ErrNoTests says that a package has tests but none that matches Options.Run.
var ErrNoTests = errors.New("no tests to run")

const progressInterval = 200 * time.Millisecond

// Explore runs the tests of target under many schedules and reports to h. If ctx
// ends, it stops the workers, reports what has been found, and returns ctx's error.
// Other errors say why the target could not be run: a *SetupError, or ErrNoTests.
func Explore(ctx context.Context, target *Target, opts *Options, h report.Handler) (Stats, error) {
	e := &explorer{target: target, opts: opts, handler: h}
	return e.run(ctx)
}

// explorer runs one package.
type explorer struct {
	target  *Target
	opts    *Options
	handler report.Handler
	c       *campaign
	stats   Stats
	began   time.Time
	source  sources
	known   map[*testState][]report.Finding // from saved schedules
	alone   bool                            // one process at a time, one trial each: no doubt is left
}

func (e *explorer) run(ctx context.Context) (Stats, error) {
	if e.opts.Search && e.opts.Isolate {
		return e.stats, fmt.Errorf("strategy %s needs many schedules in one process, which a program without tests does not have", e.opts.Strategy)
	}
	e.began = time.Now()
	first, err := startWorker(ctx, e.target, e.opts)
	if err != nil {
		return e.stats, err
	}
	var tests []sched.TestInfo
	for _, info := range first.hello.Tests {
		if e.opts.Run == nil || info.Kind == "main" || e.opts.Run.MatchString(info.Name) {
			tests = append(tests, info)
		}
	}
	if len(tests) == 0 {
		first.retire()
		return e.stats, ErrNoTests
	}
	e.c = newCampaign(e.target, e.opts, tests)
	e.runSaved(ctx)

	// A worker that cannot be started ends the campaign.
	workCtx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(workCtx, e.c.abandon)()
	var wg sync.WaitGroup
	for i := range max(1, e.opts.Workers) {
		spare := first
		if i > 0 {
			spare = nil
		}
		wg.Go(func() {
			if err := e.c.work(workCtx, spare); err != nil {
				cancel(err)
			}
		})
	}
	for _, t := range e.c.tests {
		e.await(t)
		e.finish(ctx, t)
	}
	wg.Wait()
	if err := ctx.Err(); err != nil {
		return e.stats, err
	}
	return e.stats, context.Cause(workCtx)
}

// await waits until t is settled and reports progress meanwhile.
func (e *explorer) await(t *testState) {
	tick := time.NewTicker(progressInterval)
	defer tick.Stop()
	for {
		select {
		case <-t.settled:
			return
		case <-tick.C:
			e.progress(t, "")
		}
	}
}

func (e *explorer) progress(t *testState, activity string) {
	p := report.Progress{Package: e.target.Package, Test: t.info.Name, Tests: len(e.c.tests), Activity: activity}
	e.c.mu.Lock()
	for _, u := range e.c.tests {
		p.Trials += u.trials
		p.Distinct += len(u.distinct)
		select {
		case <-u.settled:
			p.TestsDone++
		default:
		}
	}
	e.c.mu.Unlock()
	p.PerSecond = float64(p.Trials) / time.Since(e.began).Seconds()
	e.handler.Handle(p)
}

// finish turns the failures of a settled test into findings and reports its result.
func (e *explorer) finish(ctx context.Context, t *testState) {
	findings := e.known[t]
	e.c.mu.Lock() // a job that was abandoned may still report
	failures := t.found(e.opts.KeepGoing)
	e.c.mu.Unlock()
	var doubtful *doubt
	for _, f := range failures {
		if known(findings, e.key(f.Failure.Key)) {
			continue
		}
		e.progress(t, "repeating and shortening the failing schedule")
		finding, d := e.examine(ctx, t.info.Name, f)
		if d == nil {
			findings = append(findings, finding)
		} else if doubtful == nil {
			doubtful = d
		}
	}
	if f := e.memory(ctx, t); f != nil {
		findings = append(findings, *f)
	}
	if doubtful != nil && ctx.Err() == nil {
		for _, f := range e.exploreAlone(ctx, t, doubtful) {
			if !known(findings, f.Key) {
				findings = append(findings, f)
			}
		}
	}
	e.violations(ctx, t)

	e.c.mu.Lock()
	result := report.TestResult{
		Package: e.target.Package, Test: t.info.Name, Status: report.Pass,
		Trials: t.trials, Distinct: len(t.distinct), Steps: t.steps,
	}
	if e.target.Claims != "" {
		result.Accesses = &report.Accesses{All: t.accesses.All, Visible: t.accesses.Visible}
	}
	if s := t.search; s != nil {
		result.Distinct = s.Explored
		result.Search = &report.Search{
			Complete: s.Done && len(s.Unknown) == 0, Of: s.Of, Explored: s.Explored, Redundant: s.Redundant, Open: s.Open, Unknown: s.Unknown,
		}
	}
	if e.opts.Orders {
		result.Orders = t.orders.summary(e.opts.Block, len(t.failures) == 0 && t.deaths == 0)
	}
	notes, err, began, ended := t.notes, t.err, t.began, t.ended
	e.c.mu.Unlock()
	for _, f := range findings {
		e.handler.Handle(f)
	}
	for _, n := range notes {
		e.handler.Handle(report.Note{Package: e.target.Package, Test: t.info.Name, Text: n})
	}
	switch {
	case len(findings) > 0:
		result.Status = report.Fail
		e.stats.Failed++
	case err != nil:
		result.Status = report.Error
		e.stats.Errors++
		e.handler.Handle(report.Note{Package: e.target.Package, Test: t.info.Name, Text: err.Error()})
	case result.Trials == 0 && ctx.Err() != nil:
		return // it never ran
	case t.skipped:
		result.Status = report.Skip
	}
	if !began.IsZero() {
		result.Seconds = ended.Sub(began).Seconds()
	}
	result.Findings = len(findings)
	e.stats.Tests++
	e.stats.Findings += len(findings)
	e.stats.Trials += result.Trials
	e.handler.Handle(result)
}

func known(findings []report.Finding, key string) bool {
	for _, f := range findings {
		if f.Key == key {
			return true
		}
	}
	return false
}

// runSaved repeats the schedules that earlier runs kept, as go test does with the
// inputs that fuzzing found. A test that still fails is not explored further.
func (e *explorer) runSaved(ctx context.Context) {
	e.known = make(map[*testState][]report.Finding)
	for _, t := range e.c.tests {
		note := func(format string, args ...any) {
			t.notes = append(t.notes, fmt.Sprintf(format, args...))
		}
		for _, file := range savedSchedules(e.opts.SaveDir, t.info.Name) {
			s, err := readSchedule(file)
			if err != nil {
				note("saved schedule %s: %v", e.opts.relative(file), err)
				continue
			}
			if s.Kind == sched.FailLivelock && s.MaxSteps < e.opts.MaxSteps {
				note("saved schedule %s is not repeated: it spent a budget of %d steps, which now is larger", e.opts.relative(file), s.MaxSteps)
				continue
			}
			r, err := repeat(ctx, e.target, e.opts, s)
			switch {
			case ctx.Err() != nil:
				return
			case err != nil:
				note("saved schedule %s: %v", e.opts.relative(file), err)
			case r.record.Failure == nil && r.record.Divergence != nil:
				note("saved schedule %s no longer fits the program: %s", e.opts.relative(file), r.mismatch)
			case r.record.Failure == nil:
				note("saved schedule %s passes now", e.opts.relative(file))
			case !known(e.known[t], e.key(r.record.Failure.Key)):
				f := e.finding(t.info.Name, r.record)
				f.Saved, f.Reproduced, f.Trial, f.Seed, f.Strategy = true, true, s.Trial, s.Seed, s.Strategy
				f.Original = f.Switches
				e.attach(&f, s, file)
				e.known[t] = append(e.known[t], f)
			}
		}
		if len(e.known[t]) > 0 && !e.opts.KeepGoing {
			e.c.skip(t)
		}
	}
}
