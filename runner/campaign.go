package runner

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/coopvet/coop/runner/sched"
)

// campaign divides the trials of a package's tests among workers.
type campaign struct {
	target *Target
	opts   *Options
	tests  []*testState

	running sync.RWMutex // a job holds it for reading, who must be undisturbed for writing

	mu    sync.Mutex
	cond  *sync.Cond // signalled when next may have a different answer
	ended bool       // no more work is to be handed out
	rests rests

	refuted map[uint32]bool // accesses whose claims a violation has refuted
}

// span is a range of trials of one test.
type span struct {
	test         *testState
	first, count int
	begun        *worker // it has run the trials before, and its strategy knows them; or nil
}

// testState is what a campaign knows of one test. Guarded by campaign.mu until
// settled is closed.
type testState struct {
	info     sched.TestInfo
	limit    int    // trials from here on are not wanted
	next     int    // first trial that was never handed out
	redo     []span // parts of unfinished jobs
	inflight int
	began    time.Time
	ended    time.Time
	settled  chan struct{} // closed when no more trials will run

	trials   int
	steps    int64
	accesses sched.AccessCount // in an audit
	distinct map[uint64]struct{}
	failures []sched.TrialRecord // of each cause the one with the lowest index
	deaths   int                 // workers that died in it
	killers  []int               // the trials in which they died
	greedy   []int               // those in which they used too much memory
	vain     int                 // jobs of which no trial was completed
	rate     float64             // trials per second of one worker, recent
	orders   orderCounts
	skipped  bool    // every job said so
	searcher *worker // of an exhaustive search: the worker that knows how far it is
	search   *sched.Search
	notes    []string
	err      error // why it could not be run

	violations []sched.Violation
}

const (
	spanTime    = 200 * time.Millisecond // aim for the duration of a job
	firstSpan   = 64                     // trials of a job while the rate is unknown
	unlimited   = 1 << 40                // trials
	maxDistinct = 1 << 22                // executions told apart per test: bounds memory
	maxDeaths   = 20                     // dead workers after which a test is not explored further
	maxGreedy   = 3                      // the same of workers that were killed for their memory
	maxRestarts = 3                      // vain attempts to run one job
)

func newCampaign(target *Target, opts *Options, tests []sched.TestInfo) *campaign {
	c := &campaign{target: target, opts: opts}
	c.cond = sync.NewCond(&c.mu)
	for _, info := range tests {
		limit := opts.Trials
		if limit == 0 {
			limit = unlimited
		}
		c.tests = append(c.tests, &testState{
			info: info, limit: limit, settled: make(chan struct{}), distinct: make(map[uint64]struct{}), skipped: true,
		})
	}
	return c
}

// next returns a span of trials to run. It waits while the answer depends on jobs
// that are running; ok is false when there is nothing more to do.
func (c *campaign) next(w *worker) (s span, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for {
		if c.ended {
			return span{}, false
		}
		open := false
		for _, t := range c.tests {
			if s, ok := c.take(t, w); ok {
				return s, true
			}
			open = open || t.inflight > 0 || c.elsewhere(t, w)
			if t.inflight > 0 && c.opts.Budget > 0 {
				break // time is given to one test after the other
			}
		}
		if !open {
			return span{}, false
		}
		c.cond.Wait()
	}
}

// take removes a span from t's work, for w if possible one that w has begun.
func (c *campaign) take(t *testState, w *worker) (span, bool) {
	if c.opts.Budget > 0 && !t.began.IsZero() && c.now().Sub(t.began) >= c.opts.Budget {
		t.limit, t.redo = min(t.limit, t.next), nil
	}
	if c.elsewhere(t, w) {
		return span{}, false
	}
	for len(t.redo) > 0 {
		i := max(0, slices.IndexFunc(t.redo, func(s span) bool { return s.begun == w }))
		s := t.redo[i]
		t.redo = slices.Delete(t.redo, i, i+1)
		if s.count = min(s.count, t.limit-s.first); s.count > 0 {
			return c.handOut(t, s), true
		}
	}
	n := min(t.limit-t.next, c.spanSize(t))
	if n <= 0 {
		c.settle(t)
		return span{}, false
	}
	s := span{test: t, first: t.next, count: n}
	t.next += n
	return c.handOut(t, s), true
}

// spanSize aims at jobs that are long against the cost of a message and short enough
// to keep all workers busy.
func (c *campaign) spanSize(t *testState) int {
	if c.opts.Isolate {
		return 1
	}
	share := (min(t.limit-t.next, 1<<30) + c.opts.Workers - 1) / c.opts.Workers
	if c.opts.Search {
		share = min(t.limit-t.next, 1<<30)
	}
	n := min(firstSpan, share)
	if t.rate > 0 {
		n = max(1, min(share, int(t.rate*spanTime.Seconds())))
	}
	block := max(1, c.opts.Block)
	return (n + block - 1) / block * block
}

// elsewhere reports whether a test is being searched by another worker.
func (c *campaign) elsewhere(t *testState, w *worker) bool {
	return c.opts.Search && (t.inflight > 0 || t.searcher != nil && t.searcher != w && t.next < t.limit)
}

func (c *campaign) handOut(t *testState, s span) span {
	if t.began.IsZero() {
		t.began = c.now()
	}
	t.inflight++
	return s
}

// settle closes t if nothing of it remains to be run. Called with mu held.
func (c *campaign) settle(t *testState) {
	if t.inflight > 0 || len(t.redo) > 0 || t.next < t.limit {
		return
	}
	select {
	case <-t.settled:
	default:
		t.ended = c.now()
		close(t.settled)
	}
}

// job returns the job for s.
func (c *campaign) job(s span) *sched.Job {
	j := c.opts.job(s.test.info.Name)
	j.First, j.Count, j.KeepOn = s.first, s.count, c.opts.KeepGoing
	c.mu.Lock()
	j.Skip = slices.Clone(s.test.killers)
	j.Audit = c.audit()
	left := c.opts.Budget - c.now().Sub(s.test.began)
	c.mu.Unlock()
	j.MaxNanos = int64(spanTime)
	if c.opts.Budget > 0 {
		j.MaxNanos = min(j.MaxNanos, max(int64(left), 1))
	}
	return j
}

// job returns a job with the settings that all jobs share.
func (o *Options) job(test string) *sched.Job {
	return &sched.Job{
		Test: test, Strategy: o.Strategy, Seed: o.Seed, MaxSteps: o.MaxSteps,
		Clock: o.Clock, Switch: o.Switch, Search: o.Search, Leak: o.Leak, Race: o.Race, Cold: o.Isolate, Orders: o.Orders,
	}
}

// trialSeed returns the seed of a trial: all trials of a search have that of trial 0.
func (o *Options) trialSeed(test string, trial int) uint64 {
	if o.Search {
		trial = 0
	}
	return sched.TrialSeed(o.Seed, test, trial)
}

// done records what came of s after it ran in w for the given time.
func (c *campaign) done(w *worker, s span, o outcome, elapsed time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	defer c.cond.Broadcast()
	t := s.test
	t.inflight--
	defer c.settle(t)

	if d := o.death; d != nil {
		c.buried(s, d)
		return
	}
	r := &o.result
	if r.Error != "" {
		t.err = errors.New(r.Error)
		t.limit, t.redo = 0, nil
		return
	}
	t.trials += r.Trials
	t.steps += r.Steps
	t.accesses.Add(r.Accesses)
	t.skipped = t.skipped && r.Skipped
	for _, h := range r.Distinct {
		if len(t.distinct) < maxDistinct {
			t.distinct[h] = struct{}{}
		}
	}
	if r.Orders != nil {
		t.orders.add(r.Orders, s.first, r.Trials)
	}
	for _, n := range r.Notes {
		t.note(n)
	}
	c.searched(w, t, r)
	if r.Trials > 0 {
		t.rate = float64(r.Trials) / max(elapsed, time.Microsecond).Seconds()
	} else if t.vain++; t.vain > maxRestarts {
		t.err = errors.New("worker processes do not complete a single schedule of it")
		t.limit, t.redo = 0, nil
		return
	}
	for _, f := range r.Failures {
		c.failed(t, f)
	}
	for _, v := range r.Violations {
		c.violated(t, v)
	}
	if r.Trials < s.count && t.limit > 0 {
		t.redo = append(t.redo, span{t, s.first + r.Trials, s.count - r.Trials, w}) // cut at limit when taken
	}
}

// searched records how far the search of a test has come. It ends with its worker.
func (c *campaign) searched(w *worker, t *testState, r *sched.Result) {
	if r.Search == nil {
		return
	}
	t.search, t.searcher = r.Search, w
	if r.Recycle && !r.Search.Done {
		t.search.Unknown = append(t.search.Unknown, "the worker process was full: of memory, or of goroutines that the test leaves behind")
	}
	if r.Recycle || r.Search.Done {
		t.limit, t.redo = 0, nil
		t.vain = -1 // the last job of a search may have had nothing to do
	}
}

// buried records the death of the worker that ran s.
func (c *campaign) buried(s span, d *death) {
	t := s.test
	t.skipped = false
	if !d.inTrial {
		if t.vain++; t.vain > maxRestarts {
			t.err = fmt.Errorf("the test binary ends between two schedules: %s", d.failure.Message)
			t.limit, t.redo = 0, nil
			return
		}
		t.redo = append(t.redo, s)
		return
	}
	t.deaths++
	t.killers = append(t.killers, d.trial)
	if d.failure.Kind == sched.FailMemory { // no failure by itself: see explorer.memory
		c.stopped(s, d)
		return
	}
	if c.opts.KeepGoing && d.trial > s.first {
		// Failures of the trials before it died with the worker.
		t.redo = append(t.redo, span{test: t, first: s.first, count: d.trial - s.first})
		t.trials++
	} else {
		t.trials += d.trial - s.first + 1
	}
	c.failed(t, sched.TrialRecord{
		Trial: d.trial, Seed: c.opts.trialSeed(t.info.Name, d.trial),
		Decisions: d.decisions, Choices: d.choices, Failure: &d.failure,
	})
	if c.opts.Search {
		t.limit, t.redo = 0, nil
		return
	}
	if rest := s.first + s.count - d.trial - 1; rest > 0 {
		t.redo = append(t.redo, span{test: t, first: d.trial + 1, count: rest})
	}
	if t.deaths >= maxDeaths && c.opts.KeepGoing {
		t.limit = min(t.limit, t.next)
		t.redo = slices.DeleteFunc(t.redo, func(r span) bool { return r.first > d.trial })
		t.note(fmt.Sprintf("%d schedules ended the process", t.deaths) + notFurther)
	}
}

// notFurther ends the note on a test of which too many schedules have ended the process.
const notFurther = "; the test is not explored further"

// stopped records a trial that used too much memory. The others go on, unless it
// happens again and again.
func (c *campaign) stopped(s span, d *death) {
	t := s.test
	t.greedy = append(t.greedy, d.trial)
	t.trials += d.trial - s.first + 1
	if len(t.greedy) >= maxGreedy {
		t.limit, t.redo = 0, nil
	} else if rest := s.first + s.count - d.trial - 1; rest > 0 {
		t.redo = append(t.redo, span{test: t, first: d.trial + 1, count: rest})
	}
}

// failed records a failing trial. Unless the user wants all, the trials after it are
// of no interest.
func (c *campaign) failed(t *testState, r sched.TrialRecord) {
	switch i := slices.IndexFunc(t.failures, func(f sched.TrialRecord) bool { return f.Failure.Key == r.Failure.Key }); {
	case i < 0:
		t.failures = append(t.failures, r)
	case r.Trial < t.failures[i].Trial:
		t.failures[i] = r
	}
	if !c.opts.KeepGoing {
		t.limit = min(t.limit, r.Trial)
		t.next = max(t.next, t.limit)
	}
}

func (t *testState) note(text string) {
	if !slices.Contains(t.notes, text) {
		t.notes = append(t.notes, text)
	}
}

// join adds what was done for t in another campaign, but for the failures.
func (t *testState) join(o *testState) {
	t.trials += o.trials
	t.steps += o.steps
	t.ended = t.ended.Add(max(0, o.ended.Sub(o.began)))
	maps.Copy(t.distinct, o.distinct)
	for _, n := range o.notes {
		t.note(n)
	}
	t.violations = append(t.violations, o.violations...)
	if o.err != nil {
		t.err = o.err
	}
}

// found returns the failing trials to report: of each cause the one with the lowest
// index, in ascending order; without KeepGoing the first alone.
func (t *testState) found(keepGoing bool) []sched.TrialRecord {
	out := slices.SortedFunc(slices.Values(t.failures), func(a, b sched.TrialRecord) int { return a.Trial - b.Trial })
	if !keepGoing && len(out) > 1 {
		out = out[:1]
	}
	return out
}

// abandon makes next return false and settles what is not running.
func (c *campaign) abandon() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ended = true
	for _, t := range c.tests {
		t.limit, t.redo = 0, nil
		c.settle(t)
	}
	c.cond.Broadcast()
}

// skip settles t without running it.
func (c *campaign) skip(t *testState) {
	c.mu.Lock()
	defer c.mu.Unlock()
	t.limit = 0
	c.settle(t)
}

// work runs spans in worker processes, one at a time, until there are no more. spare
// is a worker that has been started already, or nil.
func (c *campaign) work(ctx context.Context, spare *worker) error {
	w := spare
	defer func() {
		if w != nil {
			w.retire()
		}
	}()
	for {
		s, ok := c.next(w)
		if !ok {
			return nil
		}
		if w == nil {
			var err error
			if w, err = startWorker(ctx, c.target, c.opts); err != nil {
				c.giveBack(s)
				return err
			}
		}
		c.running.RLock()
		began := time.Now()
		o, err := w.do(ctx, c.job(s))
		c.running.RUnlock()
		if err != nil {
			c.giveBack(s)
			return err
		}
		c.done(w, s, o, time.Since(began))
		if o.death != nil || o.result.Recycle || c.opts.Isolate {
			if o.death != nil {
				w.close()
			} else {
				w.retire()
			}
			w = nil
		}
	}
}

// giveBack returns a span that could not be run.
func (c *campaign) giveBack(s span) {
	c.mu.Lock()
	defer c.mu.Unlock()
	s.test.inflight--
	if !c.ended {
		s.test.redo = append(s.test.redo, s)
	}
	c.settle(s.test)
	c.cond.Broadcast()
}
