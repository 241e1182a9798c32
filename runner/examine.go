package runner

import (
	"context"
	"fmt"
	"slices"

	"github.com/coopvet/coop/runner/report"
	"github.com/coopvet/coop/runner/sched"
)

// examine repeats a failing trial in a fresh process, makes its schedule shorter,
// saves it, and describes it. If the failure is in doubt there is no finding.
func (e *explorer) examine(ctx context.Context, test string, found sched.TrialRecord) (report.Finding, *doubt) {
	if e.opts.Native {
		f := e.finding(test, found)
		f.Trial, f.Seed, f.Strategy = found.Trial, e.opts.Seed, e.opts.Strategy
		f.Notes = append(f.Notes, "the schedule was the Go runtime's own and is not known: it cannot be repeated; the same command may find the failure again")
		return f, nil
	}
	best, err := e.confirm(ctx, test, found)
	if d := e.doubt(ctx, test, found, best, err); d != nil {
		return report.Finding{}, d
	}
	reproduced := err == nil
	original := switches(best.Decisions)
	if reproduced {
		if shorter := e.minimise(ctx, test, best); len(shorter.Decisions) > 0 {
			best = shorter
		}
		best = retrace(ctx, e.target, e.opts, test, best)
	}
	f := e.finding(test, best)
	f.Reproduced, f.Original = reproduced, original
	f.Trial, f.Seed, f.Strategy = found.Trial, e.opts.Seed, e.opts.Strategy
	if !reproduced {
		f.Notes = append(f.Notes, err.Error())
		return f, nil
	}
	s := e.schedule(test, found.Trial, best)
	file, err := saveSchedule(e.opts.SaveDir, s)
	if err != nil {
		f.Notes = append(f.Notes, fmt.Sprintf("the schedule could not be saved: %v", err))
		file = ""
	}
	e.attach(&f, s, file)
	return f, nil
}

// retrace adds the steps to a trial that ended its worker, which could not tell them.
// The trial is repeated up to its last step, where the step budget stops it; that step
// is what its task was about to do.
func retrace(ctx context.Context, target *Target, opts *Options, test string, rec sched.TrialRecord) sched.TrialRecord {
	n := len(rec.Decisions)
	if len(rec.Steps) > 0 || n < 2 {
		return rec
	}
	job := opts.job(test)
	job.Trace, job.MaxSteps, job.Strict = true, n-1, true
	job.Replay = []sched.Replay{{Seed: rec.Seed, Decisions: rec.Decisions, Choices: rec.Choices}}
	before, err := oneTrial(ctx, target, opts, job)
	if err != nil || before.Failure == nil || before.Failure.Kind != sched.FailLivelock || !slices.Equal(before.Decisions, rec.Decisions[:n-1]) {
		return rec // the report does without steps
	}
	rec.Tasks, rec.Steps = before.Tasks, before.Steps
	var last *sched.TaskState
	enabled := 0
	for i, t := range before.Failure.Tasks {
		if t.State != "enabled" {
			continue
		}
		enabled++
		if t.Task == rec.Decisions[n-1] {
			last = &before.Failure.Tasks[i]
		}
	}
	if last != nil {
		rec.Steps = append(rec.Steps, sched.Step{Task: last.Task, Kind: last.OpStr, Site: last.Site, Object: last.Object, Enabled: enabled})
	}
	return rec
}

// repeated is what came of a saved schedule in a fresh process.
type repeated struct {
	record   sched.TrialRecord
	steps    int64
	mismatch string // where and why the execution left the schedule; "" if it did not
}

// repeat runs a saved schedule in a fresh process, with tracing.
func repeat(ctx context.Context, target *Target, opts *Options, s *sched.Schedule) (repeated, error) {
	o := *opts
	o.Clock, o.Race, o.Leak, o.Isolate = s.Clock, s.Race, s.Leak, s.Cold
	if s.MaxSteps > 0 {
		o.MaxSteps = s.MaxSteps
	}
	job := o.job(s.Test)
	job.Trace = true
	job.Replay = []sched.Replay{s.Replay()}
	rec, err := oneTrial(ctx, target, &o, job)
	if err != nil {
		return repeated{}, err
	}
	rec.Seed, rec.Trial = s.TrialSeed, s.Trial
	rec = retrace(ctx, target, &o, s.Test, rec)
	r := repeated{rec, int64(len(rec.Decisions)), mismatch(s, &rec)}
	if s.Turns && r.mismatch == "" { // what comes after the schedule is not told as if it were part of it
		r.record.Decisions, r.record.Turns = rec.Decisions[:min(len(s.Decisions), len(rec.Decisions))], true
	}
	return r, nil
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
	result := report.TestResult{Package: target.Package, Test: s.Test, Status: report.Pass, Trials: 1, Distinct: 1, Steps: r.steps}
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
