package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/coopvet/coop/instrument/toolchain"
	"github.com/coopvet/coop/runner"
	"github.com/coopvet/coop/runner/report"
)

// explore is the whole command, an arrow per step:
//
//	packages ─toolchain→ patched Go ─list→ program ─build→ test binary ─runner→ events ─report→ output
func explore(ctx context.Context, c *config, h report.Handler) error {
	schedule, err := c.schedule()
	if err != nil {
		return err
	}
	tc, err := prepare(ctx, c)
	if err != nil {
		return err
	}
	prog, err := list(ctx, c, tc)
	if err != nil {
		return err
	}
	h.Handle(c.start(tc))
	r := &run{config: c, handler: h, began: time.Now()}
	for built := range buildAll(ctx, c, tc, prog) {
		r.pkg(ctx, built, schedule)
	}
	return r.end(ctx)
}

// prepare returns the patched toolchain.
func prepare(ctx context.Context, c *config) (*toolchain.Toolchain, error) {
	tc, err := toolchain.Prepare(ctx, toolchain.Config{Dir: c.dir, Cache: c.cache, Linked: runner.Linked()})
	var fit *toolchain.FitError
	switch {
	case err == nil:
		return tc, nil
	case ctx.Err() != nil:
		return nil, usageError("interrupted")
	case errors.As(err, &fit):
		return nil, err // internal: the release is supported
	}
	return nil, usageError("%w", err)
}

func (c *config) start(tc *toolchain.Toolchain) report.Start {
	o := &c.opts
	return report.Start{
		Schema: report.SchemaVersion, Coop: o.Version, Go: tc.Version, Strategy: cmp.Or(c.compare, o.Strategy), Seed: o.Seed,
		Trials: o.Trials, Seconds: o.Budget.Seconds(), Workers: o.Workers, Isolated: o.Isolate,
	}
}

// run sums up a run.
type run struct {
	*config
	handler     report.Handler
	began       time.Time
	packages    int
	stats       runner.Stats
	broken      bool  // a package could not be built or run
	internal    error // the first internal error
	interrupted bool
}

// pkg explores one package.
func (r *run) pkg(ctx context.Context, b built, s *replay) {
	if r.interrupted {
		return
	}
	result := report.PackageResult{Package: b.pkg.ImportPath, Status: report.Pass}
	began := time.Now()
	defer func() {
		result.Seconds = time.Since(began).Seconds()
		r.handler.Handle(result)
	}()
	for _, n := range b.notes {
		r.handler.Handle(report.Note{Package: b.pkg.ImportPath, Text: n})
	}
	fail := func(reason string) {
		r.broken = true
		result.Status, result.Reason = report.Error, reason
	}
	if b.event != nil {
		r.handler.Handle(*b.event)
	}
	switch {
	case ctx.Err() != nil:
		r.interrupted = true
		result.Status, result.Reason = report.Skip, "interrupted"
		return
	case b.skip != "":
		result.Status, result.Reason = report.Skip, b.skip
		return
	case b.err != nil:
		var build *buildError
		if errors.As(b.err, &build) {
			fail("build failed")
			return
		}
		fail("internal error")
		r.handler.Handle(report.Note{Package: b.pkg.ImportPath, Text: b.err.Error()})
		r.internal = errors.Join(r.internal, b.err)
		return
	}

	opts := r.opts
	opts.SaveDir = r.saveDir(b.pkg)
	opts.Isolate = opts.Isolate || b.target.Main
	r.packages++
	var stats runner.Stats
	var err error
	switch {
	case r.rivals != nil:
		stats, err = runner.Compare(ctx, b.target, &opts, r.rivals, r.seeds, r.handler)
	case s != nil:
		stats, err = runner.Replay(ctx, b.target, &opts, s.Schedule, s.file, r.handler)
	default:
		stats, err = runner.Explore(ctx, b.target, &opts, r.handler)
	}
	r.stats.Add(stats)
	result.Tests, result.Trials = stats.Tests, stats.Trials
	if stats.Findings+stats.Violations > 0 {
		result.Status = report.Fail
	}
	var setup *runner.SetupError
	var mismatch *runner.MismatchError
	switch {
	case err == nil:
		if stats.Errors > 0 {
			fail("not all tests could be run")
		}
	case ctx.Err() != nil:
		r.interrupted = true
	case errors.Is(err, runner.ErrNoTests):
		result.Status, result.Reason = report.Skip, err.Error()
	case errors.As(err, &setup) && setup.Code == 0:
		result.Status, result.Reason = report.Skip, setup.Text
	case errors.As(err, &setup):
		fail(setup.Text)
		r.handler.Handle(report.Build{Package: b.pkg.ImportPath, Error: setup.Output})
	case errors.As(err, &mismatch):
		fail(mismatch.Error())
	default:
		fail(err.Error())
		r.internal = errors.Join(r.internal, err)
	}
}

// end reports the summary and returns the error that determines the exit code.
func (r *run) end(ctx context.Context) error {
	r.interrupted = r.interrupted || ctx.Err() != nil
	r.handler.Handle(report.Summary{
		Packages: r.packages, Tests: r.stats.Tests, Failed: r.stats.Failed, Findings: r.stats.Findings,
		Trials: r.stats.Trials, Seconds: time.Since(r.began).Seconds(), Interrupted: r.interrupted,
	})
	switch {
	case r.stats.Findings+r.stats.Violations > 0:
		return errFinding
	case r.internal != nil:
		return r.internal
	case r.broken || r.interrupted:
		return &exitError{code: codeUsage}
	case r.stats.Tests == 0 && r.run() != "":
		return usageError("no test matches -run %s", r.run())
	case r.stats.Tests == 0:
		return usageError("the packages have no tests")
	}
	return nil
}

func (r *run) run() string { return r.config.run }

// saveDir returns where the schedules of a package are kept.
func (c *config) saveDir(p *listed) string {
	if c.output != "" {
		return joinImport(c.output, p.ImportPath)
	}
	return fmt.Sprintf("%s/%s", p.Dir, runner.SavedDir)
}
