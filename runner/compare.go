package runner

import (
	"cmp"
	"context"
	"slices"
	"sync"

	"github.com/coopvet/coop/runner/report"
	"github.com/coopvet/coop/runner/sched"
)

// A Rival is a strategy to be compared with others.
type Rival struct {
	Name   string
	Native bool // the Go runtime schedules: there are no partial orders to count
	Search bool // see Options.Search
}

// Compare runs the tests of target with each of several strategies and reports a
// Comparison of each test. With seeds opts.Seed and the following ones it measures the trials
// to the first failure, at most opts.Trials each; with opts.Seed it counts the partial
// orders of opts.Trials trials, failing or not. Nothing is examined or saved. Of the
// Stats, Findings is the number of tests that failed with some strategy.
func Compare(ctx context.Context, target *Target, opts *Options, rivals []Rival, seeds int, h report.Handler) (Stats, error) {
	c := &comparison{target: target, opts: opts, seeds: seeds}
	var stats Stats
	tests, err := c.tests(ctx)
	if err != nil {
		return stats, err
	}
	for _, test := range tests {
		e := report.Comparison{
			Package: target.Package, Test: test, Trials: opts.Trials, Seeds: seeds, Strategies: make([]report.Compared, len(rivals)),
		}
		if err := c.all(ctx, test, rivals, e.Strategies); err != nil {
			return stats, err
		}
		stats.Tests++
		found := false
		for _, r := range e.Strategies {
			stats.Trials += r.Run
			found = found || r.Missed < seeds
		}
		if found {
			stats.Failed++
			stats.Findings++
		}
		h.Handle(e)
	}
	return stats, nil
}

type comparison struct {
	target *Target
	opts   *Options
	seeds  int
}

func (c *comparison) tests(ctx context.Context) ([]string, error) {
	s := NewSession(c.target, c.opts)
	defer s.Close()
	all, err := s.Tests(ctx)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, t := range all {
		if c.opts.Run == nil || c.opts.Run.MatchString(t.Name) {
			names = append(names, t.Name)
		}
	}
	if len(names) == 0 {
		return nil, ErrNoTests
	}
	return names, nil
}

// all measures every strategy, as many at once as there are workers.
func (c *comparison) all(ctx context.Context, test string, rivals []Rival, results []report.Compared) error {
	errs := make([]error, len(rivals))
	slots := make(chan bool, max(1, c.opts.Workers))
	var wg sync.WaitGroup
	for i, rival := range rivals {
		wg.Go(func() {
			slots <- true
			defer func() { <-slots }()
			results[i], errs[i] = c.measure(ctx, test, rival)
		})
	}
	wg.Wait()
	return cmp.Or(errs...)
}

// measure runs one test with one strategy, in a process of its own.
func (c *comparison) measure(ctx context.Context, test string, rival Rival) (report.Compared, error) {
	r := report.Compared{Strategy: rival.Name}
	s := NewSession(c.target, c.opts)
	defer s.Close()
	sum := 0
	for i := range c.seeds {
		failed := false
		last := 0
		err := c.trials(ctx, s, test, rival, c.opts.Seed+uint64(i), false, func(res *sched.Result, _ int) bool {
			last += res.Trials
			if failed = len(res.Failures) > 0; failed {
				last = res.Failures[0].Trial + 1
			}
			return !failed
		})
		if err != nil {
			return r, err
		}
		r.Run += last
		if !failed {
			r.Missed++
			last = c.opts.Trials
		}
		sum += last
	}
	r.Mean = float64(sum) / float64(c.seeds)
	if rival.Native {
		return r, nil
	}
	s.Close() // package-level variables begin anew
	var counts orderCounts
	err := c.trials(ctx, s, test, rival, c.opts.Seed, true, func(res *sched.Result, first int) bool {
		r.Run += res.Trials
		if res.Orders != nil {
			counts.add(res.Orders, first, res.Trials)
		}
		return true
	})
	counts.compare(&r, c.opts.Trials)
	return r, err
}

// trials runs the trials of one seed and hands over what comes of them, with the index of
// the first, until f returns false.
func (c *comparison) trials(ctx context.Context, s *Session, test string, rival Rival, seed uint64, orders bool, f func(*sched.Result, int) bool) error {
	job := c.opts.job(test)
	job.Strategy, job.Search, job.Seed, job.Orders, job.KeepOn = rival.Name, rival.Search, seed, orders, orders
	for job.First < c.opts.Trials {
		job.Count = c.opts.Trials - job.First
		r, err := s.Do(ctx, job)
		if err != nil {
			return err
		}
		first := job.First
		if died := r.Orders == nil && len(r.Failures) > 0; died {
			job.First = r.Failures[0].Trial + 1 // the counts of the job have died with the worker
		} else {
			job.First += r.Trials
		}
		if !f(r, first) || job.First == first || r.Search != nil && r.Search.Done {
			return nil
		}
	}
	return nil
}

// curvePoints is the number of points of report.Compared.Curve.
const curvePoints = 50

// maxShares bounds the number of partial orders whose share is reported.
const maxShares = 200

// compare enters what was counted in at most limit trials.
func (c *orderCounts) compare(r *report.Compared, limit int) {
	var firsts, sizes []int
	for _, n := range c.counts {
		firsts = append(firsts, n.First)
		sizes = append(sizes, n.Trials)
	}
	slices.Sort(firsts)
	slices.SortFunc(sizes, func(a, b int) int { return b - a })
	r.Counted, r.Distinct = c.between(0, limit), len(firsts)
	for i := range curvePoints {
		n, _ := slices.BinarySearch(firsts, (i+1)*limit/curvePoints)
		r.Curve = append(r.Curve, n)
	}
	for _, n := range sizes[:min(len(sizes), maxShares)] {
		r.Shares = append(r.Shares, float64(n)/float64(r.Counted))
	}
}
