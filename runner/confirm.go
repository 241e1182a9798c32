package runner

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/coopvet/coop/runner/sched"
)

// A pollutedError explains a failure that a fresh process does not show.
type pollutedError struct {
	instead  string // what happened there
	isolated bool   // the failing trial had a fresh process, too
}

func (e *pollutedError) Error() string {
	if e.isolated {
		return "the failure did not occur again, because " + e.instead + ": it depends on something outside the program, such as real time"
	}
	return "the failure did not occur again in a fresh process, where " + e.instead + ": it depends on what earlier schedules " +
		"left behind in package variables or outside the program; -isolate runs each schedule in a process of its own"
}

// confirm repeats found in a fresh process, with tracing. If the failure does not
// occur again it returns found itself and why.
//
// The other workers rest meanwhile: they may use the same files and ports.
func (e *explorer) confirm(ctx context.Context, test string, found sched.TrialRecord) (sched.TrialRecord, error) {
	defer e.rest()()
	job := e.opts.job(test)
	job.Trace = true
	bySeed := *job
	bySeed.First, bySeed.Count = found.Trial, 1
	job.Replay = []sched.Replay{{Seed: found.Seed, Decisions: found.Decisions, Choices: found.Choices}}
	jobs := []*sched.Job{job, &bySeed}
	if len(found.Decisions) == 0 { // the worker died and took them along
		jobs = jobs[1:]
	} else if job.Search { // a search does not get there at once
		jobs = jobs[:1]
	}
	instead := ""
	for _, job := range jobs {
		again, err := oneTrial(ctx, e.target, e.opts, job)
		switch {
		case ctx.Err() != nil:
			return found, errors.New("the run was stopped before the failure could be repeated")
		case err != nil:
			instead = err.Error()
		case again.Failure != nil && again.Failure.Key == found.Failure.Key:
			again.Seed = found.Seed
			return e.settle(ctx, test, again), nil
		case again.Divergence != nil:
			instead = fmt.Sprintf("the execution leaves the schedule at step %d (%s)", again.Divergence.Step+1, again.Divergence.Reason)
		case again.Failure != nil:
			instead = fmt.Sprintf("it fails otherwise (%s)", inWords(again.Failure))
		default:
			instead = "it passes"
		}
	}
	return found, &pollutedError{instead, e.opts.Isolate}
}

// inWords describes a failure, with its kind unless the message begins with that.
func inWords(f *sched.Failure) string {
	if first, _, _ := strings.Cut(f.Message, ":"); strings.Contains(first, string(f.Kind)) {
		return f.Message
	}
	return string(f.Kind) + ": " + f.Message
}

// maxSettle bounds the repetitions that settle makes.
const maxSettle = 3

// settle returns a repetition of a failing trial that follows its schedule exactly. A
// trial may take other steps in a fresh process than after others, for example where
// the standard library initialises something when it is first used. It then leaves the
// schedule, but its own decisions are followed by the next repetition.
func (e *explorer) settle(ctx context.Context, test string, rec sched.TrialRecord) sched.TrialRecord {
	for range maxSettle {
		if rec.Divergence == nil {
			break
		}
		job := e.opts.job(test)
		job.Trace = true
		job.Replay = []sched.Replay{{Seed: rec.Seed, Decisions: rec.Decisions, Choices: rec.Choices}}
		again, err := oneTrial(ctx, e.target, e.opts, job)
		if err != nil || again.Failure == nil || again.Failure.Key != rec.Failure.Key {
			break
		}
		again.Seed = rec.Seed
		rec = again
	}
	return rec
}

// oneTrial runs a job of a single trial in a process of its own.
func oneTrial(ctx context.Context, target *Target, opts *Options, job *sched.Job) (sched.TrialRecord, error) {
	w, err := startWorker(ctx, target, opts)
	if err != nil {
		return sched.TrialRecord{}, err
	}
	defer w.close()
	o, err := w.do(ctx, job)
	if err != nil {
		return sched.TrialRecord{}, err
	}
	rec, err := o.trial()
	if f := rec.Failure; f != nil && f.Kind == sched.FailTest {
		rec.Output = join(rec.Output, w.output()) // a test framework may say there what is wrong
	}
	return rec, err
}

// trial returns the record of the last trial of a job: the failing one, or with
// Job.Trace the last.
func (o *outcome) trial() (sched.TrialRecord, error) {
	switch r := &o.result; {
	case o.death != nil && !o.death.inTrial:
		return sched.TrialRecord{}, fmt.Errorf("the test binary ended outside a schedule: %s", o.death.failure.Message)
	case o.death != nil:
		return sched.TrialRecord{Trial: o.death.trial, Decisions: o.death.decisions, Choices: o.death.choices, Failure: &o.death.failure}, nil
	case r.Error != "":
		return sched.TrialRecord{}, errors.New(r.Error)
	case len(r.Failures) > 0:
		return r.Failures[0], nil
	case r.Last != nil:
		return *r.Last, nil
	}
	return sched.TrialRecord{}, errors.New("the worker did not describe the schedule that it ran")
}
