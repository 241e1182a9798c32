package runner

import (
	"context"
	"slices"

	"github.com/coopvet/coop/runner/sched"
)

const (
	maxCandidates = 4000    // schedules tried for one failure: the usual end, independent of the machine
	batchTrials   = 64      // candidates of one job
	batchSteps    = 1 << 20 // decisions of one job
)

// minimise looks for a schedule with fewer context switches, or as many and fewer
// steps, that fails for the same reason as rec, within Options.Minimise. It returns
// the traced repetition of the best one in a fresh process, or a zero record if rec
// itself is the best.
//
// The search is that of Jalbert and Sen ("A trace simplification technique for
// effective debugging of concurrent programs", FSE 2010): cut the end off, or remove
// one switch by joining a segment with its task's previous or next one, as long as
// the failure stays. Candidates are replayed loosely, so one that does not fit
// exactly still leads somewhere.
func (e *explorer) minimise(ctx context.Context, test string, rec sched.TrialRecord) sched.TrialRecord {
	kind := rec.Failure.Kind
	if kind == sched.FailHang || e.opts.Minimise <= 0 { // each hang costs Options.Hang
		return sched.TrialRecord{}
	}
	stop, cancel := context.WithTimeout(ctx, e.opts.Minimise)
	defer cancel()
	m := &minimiser{explorer: e, test: test, seed: rec.Seed, key: rec.Failure.Key, best: rec.Decisions, choices: rec.Choices, left: maxCandidates}
	// The decisions of a worker that dies are known only if it traces.
	m.trace = kind == sched.FailPanic || kind == sched.FailFatal || kind == sched.FailExit
	if kind == sched.FailLivelock && !m.caught(stop) {
		m.left = 0
	}
	for m.left > 0 && m.pass(stop) {
	}
	if m.worker != nil {
		m.worker.close()
	}
	if slices.Equal(m.best, rec.Decisions) {
		return sched.TrialRecord{}
	}
	job := e.opts.job(test)
	job.Trace = true
	job.Replay = []sched.Replay{{Seed: rec.Seed, Decisions: m.best, Choices: rec.Choices, Turns: m.turns}}
	final, err := oneTrial(ctx, e.target, e.opts, job)
	if err != nil || final.Failure == nil || !m.same(final.Failure) {
		return sched.TrialRecord{} // it needed what the candidates before it left behind
	}
	final.Seed = rec.Seed
	if m.turns {
		if final.Divergence != nil {
			return sched.TrialRecord{}
		}
		final.Decisions, final.Turns, final.Failure.Key = m.best, true, m.key
		return final
	}
	if final = e.settle(ctx, test, final); switches(final.Decisions) > switches(rec.Decisions) {
		return sched.TrialRecord{}
	}
	return final
}

type minimiser struct {
	*explorer
	test    string
	seed    uint64
	key     string
	trace   bool
	turns   bool // after a candidate tasks take turns
	best    []sched.TaskID
	choices []sched.Choice
	left    int // candidates that may still be tried
	worker  *worker
}

// pass tries all simplifications of the best schedule once, always of the newest
// best, and reports whether to try again.
func (m *minimiser) pass(ctx context.Context) bool {
	improved := false
	for i := 0; ; {
		all := candidates(segments(m.best))
		if i >= len(all) || m.left <= 0 || ctx.Err() != nil {
			return improved && m.left > 0 && ctx.Err() == nil
		}
		batch := all[i:min(len(all), i+max(1, min(batchTrials, m.left, batchSteps/(len(m.best)+1))))]
		tried, hit := m.try(ctx, batch)
		m.left -= tried
		if hit != nil && simpler(hit, m.best) {
			m.best, improved = hit, true
			// Candidates before i failed for the old best; the next pass sees them again.
			i += tried - 1
			continue
		}
		i += max(tried, 1)
	}
}

// try replays candidates up to the first that fails for the right reason. It returns
// the number of those tried and the decisions of the one that failed.
func (m *minimiser) try(ctx context.Context, batch []candidate) (tried int, hit []sched.TaskID) {
	for tried < len(batch) {
		if m.worker == nil {
			w, err := startWorker(ctx, m.target, m.opts)
			if err != nil {
				return len(batch), nil
			}
			m.worker = w
		}
		job := m.opts.job(m.test)
		job.Trace = m.trace
		// A candidate that spins must not cost more than the original.
		if !m.turns {
			job.MaxSteps = min(job.MaxSteps, 4*len(m.best)+1000)
		}
		for _, c := range batch[tried:] {
			job.Replay = append(job.Replay, sched.Replay{Seed: m.seed, Decisions: c.decisions(), Choices: m.choices, Loose: true, Turns: m.turns})
		}
		o, err := m.worker.do(ctx, job)
		if err != nil || o.death != nil || o.result.Recycle {
			m.worker.close()
			m.worker = nil
		}
		if err != nil || o.result.Error != "" || o.death != nil && !o.death.inTrial {
			return len(batch), nil
		}
		if o.death == nil && len(o.result.Failures) == 0 {
			if o.result.Trials == 0 {
				return len(batch), nil
			}
			tried += o.result.Trials // fewer than asked for if the worker is to be recycled
			continue
		}
		rec, err := o.trial()
		if err != nil {
			return len(batch), nil
		}
		this := batch[min(tried+rec.Trial, len(batch)-1)]
		tried += rec.Trial + 1
		if hit := m.hit(&rec, this); hit != nil {
			return tried, hit
		}
	}
	return tried, nil
}

// hit returns the schedule that rec's failure is to be repeated with, nil if it is another failure.
func (m *minimiser) hit(rec *sched.TrialRecord, c candidate) []sched.TaskID {
	switch d := rec.Decisions; {
	case !m.same(rec.Failure):
		return nil
	case m.turns: // what is left out would come later, with nobody's turn
		if d = c.decisions(); len(d) > len(rec.Decisions) || !slices.Equal(d, rec.Decisions[:len(d)]) {
			return nil
		}
		return d
	case len(d) > 0:
		return d
	}
	return c.decisions()
}

// same reports whether f is the failure whose schedule is being simplified. Of a livelock
// the key tells where its tasks are when it is cut off, which may be anywhere in their loops.
func (m *minimiser) same(f *sched.Failure) bool {
	return f.Key == m.key || m.turns && f.Kind == sched.FailLivelock
}

// segment is a maximal run of steps of one task.
type segment struct {
	task  sched.TaskID
	steps int
}

func segments(ids []sched.TaskID) []segment {
	var out []segment
	for _, id := range ids {
		if n := len(out); n > 0 && out[n-1].task == id {
			out[n-1].steps++
		} else {
			out = append(out, segment{id, 1})
		}
	}
	return out
}

// switches returns the number of context switches of a schedule.
func switches(ids []sched.TaskID) int { return max(0, len(segments(ids))-1) }

// simpler reports whether a is a better schedule than b.
func simpler(a, b []sched.TaskID) bool {
	if sa, sb := switches(a), switches(b); sa != sb {
		return sa < sb
	}
	return len(a) < len(b)
}

// candidate is a schedule in pieces, put together only when it is tried.
type candidate [][]segment

// candidates returns the simplifications of a schedule, the most daring first.
func candidates(segs []segment) []candidate {
	var out []candidate
	add := func(parts ...[]segment) { out = append(out, parts) }
	for n := 0; n < len(segs); n = 2*n + 1 { // keep little of the beginning, then more
		add(segs[:n])
	}
	for cut := len(segs) / 4; cut > 0; cut /= 2 {
		add(segs[:len(segs)-cut])
	}
	next := make([]int, len(segs)) // the task's next segment
	later := make(map[sched.TaskID]int)
	for i := len(segs) - 1; i >= 0; i-- {
		next[i] = later[segs[i].task]
		later[segs[i].task] = i
	}
	for i, n := range next {
		if n == 0 {
			continue
		}
		between := segs[i+1 : n]
		add(segs[:i], between, segs[i:i+1], segs[n:])     // run the segment later
		add(segs[:i+1], segs[n:n+1], between, segs[n+1:]) // run its continuation at once
	}
	for i := range segs { // leave a segment out; loosely, its task goes on later
		add(segs[:i], segs[i+1:])
	}
	return out
}

// decisions puts the candidate together.
func (c candidate) decisions() []sched.TaskID {
	ids := []sched.TaskID{}
	for _, part := range c {
		for _, s := range part {
			for range s.steps {
				ids = append(ids, s.task)
			}
		}
	}
	return ids
}
