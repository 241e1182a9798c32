package runner

import (
	"context"
	"errors"
	"fmt"

	"github.com/coopvet/coop/runner/report"
	"github.com/coopvet/coop/runner/sched"
)

// examine repeats a failing trial in a fresh process, makes its schedule shorter,
// saves it, and describes it.
func (e *explorer) examine(ctx context.Context, test string, found sched.TrialRecord) report.Finding {
	best, err := e.confirm(ctx, test, found)
	reproduced := err == nil
	original := switches(best.Decisions)
	if reproduced {
		if shorter := e.minimise(ctx, test, best); len(shorter.Decisions) > 0 {
			best = shorter
		}
	}
	f := e.finding(test, best)
	f.Reproduced, f.Original = reproduced, original
	f.Trial, f.Seed, f.Strategy = found.Trial, e.opts.Seed, e.opts.Strategy
	if !reproduced {
		f.Notes = append(f.Notes, err.Error())
		return f
	}
	s := e.schedule(test, found.Trial, best)
	file, err := saveSchedule(e.opts.SaveDir, s)
	if err != nil {
		f.Notes = append(f.Notes, fmt.Sprintf("the schedule could not be saved: %v", err))
		file = ""
	}
	e.attach(&f, s, file)
	return f
}

// errPolluted explains a failure that a fresh process does not show.
var errPolluted = errors.New("the failure did not occur again in a fresh process: it depends on what earlier schedules " +
	"left behind in package variables or outside the program; -isolate runs each schedule in a process of its own")

// confirm repeats found in a fresh process, with tracing. If the failure does not
// occur again it returns found itself and why.
func (e *explorer) confirm(ctx context.Context, test string, found sched.TrialRecord) (sched.TrialRecord, error) {
	job := e.opts.job(test)
	job.Trace = true
	bySeed := *job
	bySeed.First, bySeed.Count = found.Trial, 1
	job.Replay = []sched.Replay{{Seed: found.Seed, Decisions: found.Decisions}}
	jobs := []*sched.Job{job, &bySeed}
	if len(found.Decisions) == 0 { // the worker died and took them along
		jobs = jobs[1:]
	}
	for _, job := range jobs {
		again, err := oneTrial(ctx, e.target, e.opts, job)
		if ctx.Err() != nil {
			return found, errors.New("the run was stopped before the failure could be repeated")
		}
		if err == nil && again.Failure != nil && again.Failure.Key == found.Failure.Key {
			again.Seed = found.Seed
			return again, nil
		}
	}
	return found, errPolluted
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
	return o.trial()
}

// trial returns the record of the last trial of a job: the failing one, or with
// Job.Trace the last.
func (o *outcome) trial() (sched.TrialRecord, error) {
	switch r := &o.result; {
	case o.death != nil && !o.death.inTrial:
		return sched.TrialRecord{}, fmt.Errorf("the test binary ended outside a schedule: %s", o.death.failure.Message)
	case o.death != nil:
		rec := o.partial
		rec.Trial = o.death.trial
		if len(o.death.decisions) > 0 {
			rec.Decisions = o.death.decisions
		}
		rec.Failure = &o.death.failure
		return rec, nil
	case r.Error != "":
		return sched.TrialRecord{}, errors.New(r.Error)
	case len(r.Failures) > 0:
		return r.Failures[0], nil
	case r.Last != nil:
		return *r.Last, nil
	}
	return sched.TrialRecord{}, errors.New("the worker did not describe the schedule that it ran")
}

// repeated is what came of a saved schedule in a fresh process.
type repeated struct {
	record   sched.TrialRecord
	mismatch string // where and why the execution left the schedule; "" if it did not
}

// repeat runs a saved schedule in a fresh process, with tracing.
func repeat(ctx context.Context, target *Target, opts *Options, s *sched.Schedule) (repeated, error) {
	o := *opts
	o.Clock, o.Race, o.Leak = s.Clock, s.Race, s.Leak
	if s.MaxSteps > 0 {
		o.MaxSteps = s.MaxSteps
	}
	job := o.job(s.Test)
	job.Trace = true
	job.Replay = []sched.Replay{{Seed: s.TrialSeed, Decisions: s.Tasks()}}
	rec, err := oneTrial(ctx, target, &o, job)
	rec.Seed, rec.Trial = s.TrialSeed, s.Trial
	return repeated{rec, mismatch(s, &rec)}, err
}

// mismatch says at which step and why an execution left its schedule.
func mismatch(s *sched.Schedule, rec *sched.TrialRecord) string {
	at, reason := len(s.Decisions), ""
	if d := rec.Divergence; d != nil {
		at, reason = d.Step, d.Reason
	}
	for i, step := range choices(rec) {
		if i >= at {
			break
		}
		if want := s.Decisions[i].Kind; want != sched.None && want.String() != step.Kind {
			at, reason = i, fmt.Sprintf("the program now performs %s at %s:%d", step.Kind, base(step.Site.File), step.Site.Line)
			break
		}
	}
	if reason == "" {
		return ""
	}
	if at < len(s.Decisions) {
		if d := s.Decisions[at]; d.Kind != sched.None {
			return fmt.Sprintf("at step %d, %s by task %d at %s:%d: %s", at+1, d.Kind, d.Task, d.File, d.Line, reason)
		}
	}
	return fmt.Sprintf("at step %d: %s", at+1, reason)
}

// Replay runs a schedule in a fresh process and reports it as a test result. The
// error is a *MismatchError if the schedule does not fit the program and the failure
// does not occur.
func Replay(ctx context.Context, target *Target, opts *Options, s *sched.Schedule, file string, h report.Handler) (Stats, error) {
	e := &explorer{target: target, opts: opts, handler: h}
	r, err := repeat(ctx, target, opts, s)
	if err != nil {
		return Stats{}, err
	}
	stats := Stats{Tests: 1, Trials: 1}
	result := report.TestResult{Package: target.Package, Test: s.Test, Status: report.Pass, Trials: 1, Distinct: 1, Steps: int64(len(r.record.Decisions))}
	if r.record.Failure == nil && r.mismatch != "" {
		return stats, &MismatchError{Where: r.mismatch}
	}
	if r.record.Failure != nil {
		f := e.finding(s.Test, r.record)
		f.Saved, f.Reproduced = true, s.Kind == "" || r.record.Failure.Kind == s.Kind
		f.Trial, f.Seed, f.Strategy = s.Trial, s.Seed, s.Strategy
		f.Original = f.Switches
		e.attach(&f, s, file)
		if r.mismatch != "" {
			f.Notes = append(f.Notes, "the program has changed since the schedule was saved: "+r.mismatch)
		}
		if !f.Reproduced {
			f.Notes = append(f.Notes, fmt.Sprintf("the schedule was saved for a failure of kind %s", s.Kind))
		}
		h.Handle(f)
		result.Status, result.Findings = report.Fail, 1
		stats.Failed, stats.Findings = 1, 1
	}
	h.Handle(result)
	return stats, nil
}

// MismatchError says that a schedule no longer fits its program.
type MismatchError struct{ Where string }

func (e *MismatchError) Error() string {
	return "the schedule no longer fits the program: " + e.Where
}
