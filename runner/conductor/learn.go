package conductor

import (
	"fmt"
	"slices"

	"github.com/coopvet/coop/runner/sched"
	"github.com/coopvet/coop/runner/strategy"
)

// searched is an exhaustive search that goes on from job to job.
type searched struct {
	by string // what must be the same for it to go on
	s  sched.Searcher
	io bool // tasks have made system calls

	drawn bool // tasks have made use of random numbers
	seeds int  // that have been explored
}

// A test whose result may depend on random numbers is explored with this many seeds, and,
// if that takes fewer trials, with as many as these are enough for.
const (
	searchSeeds  = 20
	searchTrials = 10_000
)

// again begins a search that has come to its end anew, with the next seed, if that may lead
// elsewhere. trials have been run.
func (s *searched) again(trials int) bool {
	s.drawn = s.drawn || drawn
	if !s.drawn || s.seeds >= searchSeeds-1 && trials >= searchTrials {
		return false
	}
	s.seeds++
	s.s.Again()
	return true
}

// learnt is a strategy that learns and what it has seen.
type learnt struct {
	by   string // what must be the same for it to go on
	s    sched.Strategy
	next int // the trial after the last one that it has seen
}

// strategy returns the strategy of a job: a new one, or one that has learned from
// earlier jobs. A replay needs none.
func (w *worker) strategy(job *sched.Job) (sched.Strategy, error) {
	if job.Replay != nil {
		return nil, nil
	}
	by := fmt.Sprint(job.Test, job.Strategy, job.Switch, job.Seed, job.Clock, job.MaxSteps, job.Race, job.Leak)
	if w.learnt.s != nil && w.learnt.by == by && !job.Cold {
		return w.learnt.s, nil
	}
	if w.search.by == by && !job.Cold {
		return w.search.s, nil
	}
	s, err := strategy.ByName(job.Strategy, strategy.Options{Switch: job.Switch})
	if _, learns := s.(sched.Learner); learns && !job.Cold {
		w.learnt = learnt{by: by, s: s}
		w.warm = "" // it must see the pilot
	}
	if search, ok := s.(sched.Searcher); ok {
		w.search = searched{by: by, s: search}
	}
	return s, err
}

// catchUp repeats the trials of the job's first block that come before the job and that the
// strategy has not seen. They are not reported again.
func (b *batch) catchUp() {
	l := &b.worker.learnt
	if the.strategy != l.s || b.job.Replay != nil {
		return
	}
	first := b.job.First
	from := first - first%l.s.(sched.Learner).Block()
	if from <= l.next && l.next <= first {
		from = l.next
	}
	for trial := from; trial < first; trial++ {
		if !slices.Contains(b.job.Skip, trial) {
			b.run(trial, first, sched.TrialSeed(b.job.Seed, b.job.Test, trial), b.job.MaxSteps)
			b.worker.collect()
		}
	}
}

// searched says how far a search has come, and why it may have missed executions.
func (w *worker) searched(s sched.Searcher) *sched.Search {
	state := s.Search()
	if the.foreign > 0 {
		state.Unknown = append(state.Unknown, "the test uses goroutines that were started before it")
	}
	if w.search.io {
		state.Unknown = append(state.Unknown, "the test makes system calls: their order is not explored")
	}
	if w.search.drawn = w.search.drawn || drawn; w.search.drawn {
		n := w.search.seeds
		if state.Done {
			n++
		}
		state.Unknown = append(state.Unknown, fmt.Sprintf("the test uses random numbers, the order of maps or that of timers due at once: seeds explored: %d", n))
	}
	return &state
}
