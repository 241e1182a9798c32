package runner

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/coopvet/coop/runner/report"
	"github.com/coopvet/coop/runner/sched"
)

// An audit, if Target.Claims is set, compares what happens in the trials with what the
// static analysis claims. A violation does not end a trial and is no finding: the
// program may be right, but the analysis was not. Violations of a trial that ends its
// process are lost with it.

// audit returns what to ask a worker for; nil without an audit.
func (c *campaign) audit() *sched.Audit {
	if c.target.Claims == "" {
		return nil
	}
	return &sched.Audit{Claims: c.target.Claims, Open: slices.Sorted(maps.Keys(c.refuted))}
}

// violated records a violation, unless the claims of its access have been refuted in
// another worker already. Called with mu held.
func (c *campaign) violated(t *testState, v sched.Violation) {
	if c.refuted[v.Second.Access] {
		return
	}
	if c.refuted == nil {
		c.refuted = make(map[uint32]bool)
	}
	for _, n := range v.Opened {
		c.refuted[n] = true
	}
	t.violations = append(t.violations, v)
}

// violations reports the violations of a settled test.
func (e *explorer) violations(ctx context.Context, t *testState) {
	e.c.mu.Lock()
	list := t.violations
	e.c.mu.Unlock()
	for _, v := range list {
		e.progress(t, "repeating a schedule in which the static analysis is wrong")
		again, ok := e.again(ctx, t.info.Name, v)
		if ok {
			again.Trial, v = v.Trial, again
		}
		out := e.violation(t.info.Name, v)
		out.Reproduced = ok
		e.handler.Handle(out)
		e.stats.Violations++
	}
}

// again repeats the trial of a violation in a fresh process, for the stacks.
func (e *explorer) again(ctx context.Context, test string, v sched.Violation) (sched.Violation, bool) {
	defer e.rest()()
	w, err := startWorker(ctx, e.target, e.opts)
	if err != nil {
		return v, false
	}
	defer w.close()
	job := e.opts.job(test)
	job.First = v.Trial
	job.Replay = []sched.Replay{v.Replay}
	job.Audit = &sched.Audit{Claims: e.target.Claims, Watch: []uint32{v.First.Access, v.Second.Access}}
	o, err := w.do(ctx, job)
	if err != nil {
		return v, false
	}
	for _, same := range o.result.Violations {
		if same.First.Access == v.First.Access && same.Second.Access == v.Second.Access {
			return same, true
		}
	}
	return v, false
}

// violation describes a violation in the words of the program.
func (e *explorer) violation(test string, v sched.Violation) report.Violation {
	out := report.Violation{
		Package: e.target.Package, Dir: e.target.Dir, Test: test, Claim: v.Claim, Reason: v.Reason,
		Strategy: e.opts.Strategy, Seed: e.opts.Seed, Trial: v.Trial,
	}
	out.Accesses = append(out.Accesses, e.access(v.Second))
	if v.First.Access != 0 {
		out.Accesses = append(out.Accesses, e.access(v.First))
	}
	out.Location = out.Accesses[0].Location
	return out
}

func (e *explorer) access(a sched.AuditAccess) report.AuditAccess {
	out := report.AuditAccess{Task: a.Name, Op: a.Op, Claim: a.Claim, Stack: e.program(a.Stack)}
	out.Position = e.resolve(sched.Position{Access: a.Access})
	if e.target.Names != nil {
		out.Location, _, _ = e.target.Names.Access(a.Access)
	}
	if out.Location == "" {
		out.Location = fmt.Sprintf("memory of access %d", a.Access)
	}
	for _, l := range a.Locks {
		out.Locks = append(out.Locks, e.resolve(l))
	}
	return out
}
