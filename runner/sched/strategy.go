package sched

// TaskID numbers the tasks of one trial in the order of their creation; the root
// task, which runs the test function, is 0.
type TaskID int32

// NoTask is the TaskID of no task.
const NoTask TaskID = -1

// Task is what a strategy and a listener may see of a controlled goroutine. The
// conductor owns it; it is valid during one trial.
type Task struct {
	ID      TaskID
	Parent  TaskID // NoTask for the root
	Child   int32  // this is the Child-th task (from 1) that Parent started
	Depth   int32
	Path    uint64 // hash of the spawn path: equal in every schedule of the test
	Spawned Site   // the go statement
	Waker   TaskID // who has made it runnable last; NoTask for the clock and the network
	Pending Op     // the operation that the task will perform when picked
	Steps   int32  // operations performed so far
}

// TrialInfo is what a strategy knows when a trial begins.
type TrialInfo struct {
	Trial int    // index of the trial within its test, from 0
	Seed  uint64 // the trial's own seed
	Rand  *Rand  // the strategy's random source, seeded from Seed; not shared with the program
}

// PilotTrial is the index of the trial with which a worker process begins to explore a
// test: it is no schedule of the exploration, and the same in every process. A strategy
// that is a Learner sees it, unless each trial has its own process.
const PilotTrial = -1

// Strategy chooses the task that performs the next step.
//
// A strategy is a pure function of the trial infos and the enabled sets that it has
// seen: no clocks, files or global state, so that a seed repeats a schedule. It
// allocates nothing in Pick once its buffers have grown.
type Strategy interface {
	// Begin starts a trial.
	Begin(TrialInfo)
	// Pick returns the ID of one of enabled, which is not empty and is in ascending
	// order of ID; each task has its pending operation. last is the task that
	// performed the previous step, enabled or not; NoTask at the first step.
	Pick(enabled []*Task, last TaskID) TaskID
}

// Watcher is implemented by strategies that keep their own order of the enabled tasks,
// so as not to look at all of them at every step. Between Begin and the first Pick, and
// between two Picks, the conductor tells them how the enabled set has changed. Whose
// pending operation may have changed without a word is the task that was picked last.
type Watcher interface {
	// Enabled says that t has become one of the enabled tasks. Steps is 0 if it has not
	// performed a step yet.
	Enabled(t *Task)
	// Disabled says that t is no longer enabled: it waits, or it has ended.
	Disabled(t *Task)
}

// Learner is implemented by strategies whose choices depend on earlier trials. So that
// the same command explores the same schedules, however the trials are divided among
// workers, a trial depends on the pilot and the earlier trials of its block alone: the
// worker shows them to the strategy first, in order. In the pilot the strategy must run each task
// for as long as it can go on.
type Learner interface {
	// Block is the number of trials in a block; the first block begins with trial 0. When
	// Begin is told of a block's first trial the strategy forgets all but the pilot. 1:
	// only the pilot matters.
	Block() int
}

// TrialEnder is implemented by strategies that want to know how a trial ended.
type TrialEnder interface {
	// End reports the number of steps and the failure, FailNone if there was none.
	End(steps int, failure FailureKind)
}

// Rand is a small, fast generator (SplitMix64, Steele, Lea and Flood, OOPSLA 2014).
// Its zero value is a valid generator with seed 0.
type Rand struct{ s uint64 }

// NewRand returns a generator whose stream is determined by seed.
func NewRand(seed uint64) Rand { return Rand{seed} }

// Seed restarts the stream.
func (r *Rand) Seed(seed uint64) { r.s = seed }

// Uint64 returns 64 random bits.
func (r *Rand) Uint64() uint64 {
	r.s += 0x9e3779b97f4a7c15
	return Mix(r.s)
}

// IntN returns a uniform number in [0,n); n must be positive and below 2³².
// The bias of the multiply-shift reduction is below n/2³².
func (r *Rand) IntN(n int) int {
	return int((r.Uint64() >> 32) * uint64(n) >> 32)
}

// Float64 returns a uniform number in [0,1).
func (r *Rand) Float64() float64 { return float64(r.Uint64()>>11) / (1 << 53) }

// Bool returns a fair coin toss.
func (r *Rand) Bool() bool { return r.Uint64()>>63 == 1 }

// Mix is SplitMix64's finaliser, a bijection of good avalanche; it also combines
// hashes: Mix(a ^ Mix(b)).
func Mix(z uint64) uint64 {
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb
	return z ^ (z >> 31)
}

// TrialSeed derives the seed of one trial from the run's seed and the test's name,
// so that any division of the trials over workers explores the same schedules.
func TrialSeed(seed uint64, test string, trial int) uint64 {
	h := Mix(seed + 0x9e3779b97f4a7c15)
	for i := 0; i < len(test); i++ {
		h = (h ^ uint64(test[i])) * 0x100000001b3
	}
	return Mix(h ^ Mix(uint64(trial)+1))
}

// Chooser is implemented by strategies that also make the program's own choices: among the
// cases of a select that are ready.
type Chooser interface {
	// Choose is called in the step of a select when n > 1 of its cases are ready. It
	// returns which of them is taken, from 0, in the runtime's order: those that send
	// come first, those that receive are in reverse; -1 leaves it to the trial's random
	// numbers.
	Choose(n int) int
}

// Searcher is implemented by strategies that explore schedules exhaustively, one trial
// after the other. All trials of a search have the same seed.
type Searcher interface {
	Strategy
	TrialEnder
	// Exhausted reports whether nothing is left to explore.
	Exhausted() bool
	// Again begins the search anew, for another seed; Search counts on. Between trials only.
	Again()
	// Search says how far the search has come. Between trials only.
	Search() Search
}

// Search is how far an exhaustive search has come.
type Search struct {
	Done bool `json:"done"` // nothing is left, see Unknown
	// Of names what is counted: "classes" of executions that differ in the order of
	// dependent operations, or "schedules" of a kind, as in "schedules with at most 2 preemptions".
	Of        string `json:"of"`
	Explored  int    `json:"explored"`  // classes or schedules
	Redundant int    `json:"redundant"` // trials beyond one for each of them
	Open      int    `json:"open"`      // choices that are known and have not been explored
	// Unknown lists reasons for which there may be executions that the search does not
	// see; without any, Done means that the test has been explored completely.
	Unknown []string `json:"unknown,omitempty"`
}
