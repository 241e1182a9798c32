package runner

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/coopvet/coop/runner/report"
	"github.com/coopvet/coop/runner/sched"
)

// A doubt is why a failing trial is not taken for a failure of the test: it was not
// the first run of the test in its process, or not the only one at its time, and that
// is what made it fail. Tests need not be made for either.
type doubt struct {
	cause   string // completes "a schedule failed (...), but "
	message string // of the failure
}

const (
	// A test that registers something in a global registry fails so, for example.
	causeSecond  = "only where the process had run the test before, and then with every schedule, as under go test -count=2"
	causeUnknown = "not again in a fresh process with nothing beside it, where %s: it depends on what earlier runs of its process left behind, " +
		"or processes that run in parallel disturb one another through files or ports (-p 1 runs one)"
)

// firstRuns is the number of schedules under which a test is the first run of a process,
// until one fails.
const firstRuns = 5

// doubt decides whether the failing trial found is in doubt; again and err are what
// confirm returned. A race is a race whatever led to it; what the Go scheduler did cannot
// be repeated; a hang is not looked into, for each one costs Options.Hang.
func (e *explorer) doubt(ctx context.Context, test string, found, again sched.TrialRecord, err error) *doubt {
	var polluted *pollutedError
	switch kind := found.Failure.Kind; {
	case e.alone || kind == sched.FailRace || e.opts.native():
	case errors.As(err, &polluted):
		return &doubt{fmt.Sprintf(causeUnknown, polluted.instead), found.Failure.Message}
	case err == nil && kind != sched.FailHang && !e.opts.Isolate && e.failsAgain(ctx, test, again):
		return &doubt{causeSecond, found.Failure.Message}
	}
	return nil
}

// native reports whether the Go scheduler makes the schedules.
func (o *Options) native() bool {
	name, _, _ := strings.Cut(o.Strategy, ":")
	return name == "none" || name == "noise"
}

// failsAgain reports whether the test fails as rec does when it is run for the second
// time in a process, each task as long as it can go on, but never as the first run. What
// else a first run does wrong will be seen when the test is explored alone.
func (e *explorer) failsAgain(ctx context.Context, test string, rec sched.TrialRecord) bool {
	defer e.rest()()
	job := e.opts.job(test)
	job.Replay = []sched.Replay{{Seed: rec.Seed, Loose: true}}
	if f, err := e.fails(ctx, job); err != nil || f == nil || f.Key != rec.Failure.Key {
		return false
	}
	for i := range firstRuns {
		job := e.opts.job(test)
		job.Cold = true
		switch i {
		case 0:
			job.Replay = []sched.Replay{{Seed: rec.Seed, Loose: true}}
		case 1:
			job.Replay = []sched.Replay{{Seed: rec.Seed, Decisions: rec.Decisions, Choices: rec.Choices, Loose: true}}
		default:
			job.First, job.Count = i, 1
		}
		if f, err := e.fails(ctx, job); err != nil || f != nil && f.Key == rec.Failure.Key {
			return false
		}
	}
	return true
}

// fails runs a job in a process of its own and returns the failure that ended it, nil if
// there was none.
func (e *explorer) fails(ctx context.Context, job *sched.Job) (*sched.Failure, error) {
	w, err := startWorker(ctx, e.target, e.opts)
	if err != nil {
		return nil, err
	}
	defer w.close()
	switch o, err := w.do(ctx, job); {
	case err != nil:
		return nil, err
	case o.death != nil && o.death.inTrial:
		return &o.death.failure, nil
	case o.death != nil || o.result.Error != "":
		return nil, errors.New("the job could not be run")
	case len(o.result.Failures) > 0:
		return o.result.Failures[0].Failure, nil
	}
	return nil, nil
}

// maxAlone bounds the schedules of a test that is explored alone, where each costs the
// start of a process.
const maxAlone = 1000

// exploreAlone explores a test whose failures are in doubt again: each trial in a process of its
// own, with no other at its side. It returns what it finds and adds to t what it does.
func (e *explorer) exploreAlone(ctx context.Context, t *testState, d *doubt) []report.Finding {
	opts := *e.opts
	opts.Isolate, opts.Workers, opts.Block = true, 1, 1
	if opts.Search { // it needs a process that lasts
		opts.Search, opts.Strategy = false, "random"
	}
	if opts.Trials > 0 {
		opts.Trials = min(opts.Trials, maxAlone)
	}
	sub := &explorer{target: e.target, opts: &opts, handler: e.handler, alone: true, c: newCampaign(e.target, &opts, []sched.TestInfo{t.info})}
	defer e.rest()()
	again := sub.c.tests[0]
	stop := context.AfterFunc(ctx, sub.c.abandon)
	done := make(chan error, 1)
	go func() { done <- sub.c.work(ctx, nil) }()
	tick := time.NewTicker(progressInterval)
	defer tick.Stop()
	var err error
	for running := true; running; {
		select {
		case err = <-done:
			running = false
		case <-tick.C:
			e.progress(t, "running each schedule in a process of its own")
		}
	}
	stop()
	var findings []report.Finding
	for _, f := range again.found(opts.KeepGoing) {
		finding, _ := sub.examine(ctx, t.info.Name, f)
		findings = append(findings, finding)
	}

	e.c.mu.Lock()
	defer e.c.mu.Unlock()
	t.notes = slices.DeleteFunc(t.notes, func(text string) bool { return strings.HasSuffix(text, notFurther) }) // now it has been
	t.note(fmt.Sprintf("a schedule failed (%s), but %s; so each of %d schedules was given a process of its own, one after the other", d.message, d.cause, again.trials))
	t.join(again)
	if t.err == nil && ctx.Err() == nil {
		t.err = err
	}
	return findings
}
