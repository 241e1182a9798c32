package runner

import (
	"context"
	"fmt"
	"slices"

	"github.com/coopvet/coop/runner/report"
	"github.com/coopvet/coop/runner/sched"
)

// memory says what it means that schedules of t were stopped because they used more
// memory than a worker may. Under the Go scheduler the test has a collector that runs at
// any time and no trials before it. If it uses as much there, that is a finding;
// otherwise the limit is a limit of this program, and t could not be explored further if
// it was met again and again.
func (e *explorer) memory(ctx context.Context, t *testState) *report.Finding {
	e.c.mu.Lock()
	greedy := slices.Clone(t.greedy)
	e.c.mu.Unlock()
	if len(greedy) == 0 || ctx.Err() != nil {
		return nil
	}
	limit := e.opts.Memory >> 20
	if len(greedy) >= maxGreedy {
		wake := e.rest()
		job := e.opts.job(t.info.Name)
		job.Strategy, job.Count = "none", 1
		f, err := e.fails(ctx, job)
		wake()
		if err == nil && f != nil && f.Kind == sched.FailMemory {
			return &report.Finding{
				Package: e.target.Package, Dir: e.target.Dir, Test: t.info.Name, Kind: string(f.Kind), Key: f.Key,
				Message: fmt.Sprintf("the test uses more than %d MB of memory, under the Go scheduler, too; -memory raises the limit", limit),
				Trial:   slices.Min(greedy), Seed: e.opts.Seed, Strategy: e.opts.Strategy, Reproduced: true,
			}
		}
	}
	text := fmt.Sprintf("%d of its schedules were stopped because they used more than %d MB of memory, the first was schedule %d; -memory raises the limit",
		len(greedy), limit, slices.Min(greedy))
	e.c.mu.Lock()
	defer e.c.mu.Unlock()
	if len(greedy) < maxGreedy {
		t.note(text)
	} else if t.err == nil {
		t.err = fmt.Errorf("it was not explored further: %s", text)
	}
	return nil
}
