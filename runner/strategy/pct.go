package strategy

import "github.com/coopvet/coop/runner/sched"

// pct is probabilistic concurrency testing: S. Burckhardt, P. Kothari, M. Musuvathi and
// S. Nagarakatte, A Randomized Scheduler with Probabilistic Guarantees of Finding Bugs,
// ASPLOS 2010, section 2.
//
// Tasks have priorities, a random permutation; the enabled task of highest priority
// runs. d-1 change points are drawn from [1,k]; at the i-th drawn one the task that has
// run last gets priority i, below all that were not changed. A bug of depth d is found in
// a trial with probability at least 1/(n·k^(d-1)), n being the number of tasks.
//
// Departures:
//
//   - k and the change points count the points with at least two enabled tasks: a
//     change elsewhere has no effect before the next such point.
//   - k is the largest count of the earlier trials of the block and of the pilot, not a
//     bound that the user knows. A fixed k may be given.
//   - Tasks are created as the program runs: each draws its priority when it is first
//     enabled, which gives the same permutations.
//   - Without a given depth every trial draws one, from 1 to maxDepth.
//   - Fairness: a task whose patience is spent while others are enabled, and at once a task that
//     calls runtime.Gosched, gets a priority below all others, as yields do in CHESS. So does
//     the task of highest priority when another has been enabled in vain for starveLimit
//     points: two that wait for each other in turn keep out a third one as well.
type pct struct {
	depth, length int // given; 0: drawn, learned

	rand    *sched.Rand
	queue   queue
	changes []int // change points of the trial, in the order in which they were drawn
	choices int   // points with at least two enabled tasks so far
	yielded uint64
	runner  sched.TaskID // the task that runs while others are enabled,
	fair    patience     // and since when
	served  []int        // by task: at which point it was enabled or ran last
	pilot   bool
	onward  Onward // of the pilot

	pilotLongest, longest int // choices of the pilot; the most of it and of the block's trials
}

const (
	maxDepth = 5
	// Priorities, from the highest: those of the start have the topmost bit, then the
	// changed ones, then those of tasks that have yielded, the last one lowest.
	priorityStart  = 1 << 63
	priorityChange = 1 << 40
)

func (p *pct) Block() int { return learnBlock }

func (p *pct) Begin(info sched.TrialInfo) {
	p.onward = Onward{}
	if p.pilot = info.Trial == sched.PilotTrial; !p.pilot && info.Trial%learnBlock == 0 {
		p.forget()
	}
	p.rand = info.Rand
	p.queue.reset()
	p.choices, p.yielded = 0, 0
	p.runner, p.fair = sched.NoTask, patience{}
	p.changes = p.changes[:0]
	depth := p.depth
	if depth == 0 {
		depth = 1 + p.rand.IntN(maxDepth)
	}
	for range depth - 1 {
		p.changes = append(p.changes, 1+p.rand.IntN(p.k()))
	}
}

// k returns the range of change points. Who knows nothing guesses an order of magnitude.
func (p *pct) k() int {
	switch {
	case p.length > 0:
		return p.length
	case p.longest > 0:
		return p.longest
	}
	return 1 << (1 + p.rand.IntN(10))
}

func (p *pct) Enabled(t *sched.Task) {
	p.queue.know(t.ID)
	if p.queue.key[t.ID] == 0 {
		p.queue.key[t.ID] = priorityStart | p.rand.Uint64()>>1
	}
	for int(t.ID) >= len(p.served) {
		p.served = append(p.served, 0)
	}
	p.served[t.ID] = p.choices
	p.queue.add(t)
}

func (p *pct) Disabled(t *sched.Task) { p.queue.remove(t.ID) }

func (p *pct) Pick(enabled []*sched.Task, last sched.TaskID) sched.TaskID {
	if len(enabled) == 1 {
		return enabled[0].ID
	}
	p.choices++
	if p.pilot {
		return p.onward.Pick(enabled, last)
	}
	for i, at := range p.changes {
		if at == p.choices && last != sched.NoTask {
			p.queue.set(last, priorityChange+uint64(i))
		}
	}
	t := p.queue.top()
	if t.ID != p.runner {
		p.runner, p.fair = t.ID, patience{}
	}
	p.served[t.ID] = p.choices
	if p.fair.spent(t.Pending.Kind) || t.Pending.Kind == sched.Gosched || p.choices%starveLimit == 0 && p.starves(enabled) {
		p.yielded++
		p.queue.set(t.ID, priorityChange-p.yielded)
	}
	return t.ID
}

// starves reports whether a task has been enabled for long and has not run.
func (p *pct) starves(enabled []*sched.Task) bool {
	for _, t := range enabled {
		if p.choices-p.served[t.ID] >= starveLimit {
			return true
		}
	}
	return false
}

func (p *pct) End(int, sched.FailureKind) { p.learn(p.choices, p.pilot) }

// learn takes note of the number of choices in a trial.
func (p *pct) learn(choices int, pilot bool) {
	p.longest = max(p.longest, choices)
	if pilot {
		p.pilotLongest = choices
	}
}

// forget drops what the trials since the pilot have taught.
func (p *pct) forget() { p.longest = p.pilotLongest }
