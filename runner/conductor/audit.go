package conductor

import (
	"fmt"
	"math"
	"os"
	"runtime"
	"runtime/debug"
	"slices"

	"github.com/coopvet/coop/runner/detect"
	"github.com/coopvet/coop/runner/sched"
)

// claims is what the last job with an audit has claimed, less what has been refuted
// since.
type claims struct {
	file string
	list []sched.Claim
}

// maxViolations bounds the violations of one job.
const maxViolations = 50

// audit attaches the listener that a job asks for, if it does.
func (w *worker) audit(job *sched.Job) error {
	c := &the
	c.audit = nil
	if job.Audit == nil {
		return nil
	}
	if w.claims.file != job.Audit.Claims {
		text, err := os.ReadFile(job.Audit.Claims)
		if err != nil {
			return fmt.Errorf("the claims of the static analysis: %w", err)
		}
		list := make([]sched.Claim, len(text))
		for i, b := range text {
			list[i] = sched.Claim(b)
		}
		w.claims = claims{job.Audit.Claims, list}
	}
	c.audit = detect.NewAudit(w.claims.list, job.Audit.Open, job.Audit.Watch)
	c.audit.Name = func(id sched.TaskID) string { return taskName(c, &c.tasks[id].Task) }
	c.audit.Stack = func() string {
		var pcs [64]uintptr
		_, text := c.stack(pcs[:runtime.Callers(1, pcs[:])])
		return text
	}
	// A collection within a trial would give addresses to other memory. The parent limits
	// what a worker may use in any case.
	debug.SetMemoryLimit(math.MaxInt64)
	c.listen(c.audit)
	return nil
}

// cycles returns the number of garbage collections so far, if that is of interest.
func (w *worker) cycles() int64 {
	if the.audit == nil {
		return 0
	}
	var s debug.GCStats
	debug.ReadGCStats(&s)
	return s.NumGC
}

// audited enters the violations of the trial that has just ended into the result. Those
// of a trial that has collected garbage may be about different memory at one address.
func (b *batch) audited(trial int, seed uint64, before int64) {
	c, r := &the, b.result
	if c.audit == nil {
		return
	}
	r.Accesses.Add(c.audit.Accesses())
	found := c.audit.Found()
	if b.worker.cycles() != before {
		return
	}
	for _, v := range found {
		if len(r.Violations) == maxViolations {
			break
		}
		v.Trial = trial
		v.Replay = sched.Replay{
			Seed: seed, Decisions: slices.Concat(c.decisions[:min(c.steps, len(c.decisions))], c.further),
			Choices: slices.Clone(c.choices), Loose: true,
		}
		r.Violations = append(r.Violations, v)
	}
}
