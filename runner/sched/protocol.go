package sched

// The parent talks to a worker (the instrumented test binary) over two pipes, one
// JSON value a line: Job down, Hello and Result up. A third inherited file is mapped
// by both; the worker keeps Status there, so that the parent knows what was running
// when a worker dies, and can tell a slow trial from one that hangs.

// Environment of a worker.
const (
	EnvWorker = "COOP_WORKER" // "jobfd,resultfd,statusfd": makes the test binary a worker
	EnvGOROOT = "COOP_GOROOT" // the installation that runtime.GOROOT names
	// EnvOriginal and GOMAXPROCS or GOMEMLIMIT: the value before cooprun set its own, if any.
	EnvOriginal = "COOP_ORIGINAL_"
	EnvMain     = "COOP_MAIN" // set: package main without tests; one trial is main.main
)

// Protocol is raised when Job, Hello, Result or Status change incompatibly. Parent
// and worker are built from one tree, so a mismatch is an internal error.
const Protocol = 2

// Hello is the first message of a worker: the handshake. A binary that was built
// without instrumentation (for example because go test -cover dropped an overlay)
// does not say the right Build.
type Hello struct {
	Protocol int        `json:"protocol"`
	Build    string     `json:"build"` // what the instrumenter put into the binary
	Go       string     `json:"go"`
	Tests    []TestInfo `json:"tests"`
}

// TestInfo names a top-level test, example or fuzz target (its seed corpus), or the
// program itself ("main").
type TestInfo struct {
	Name string `json:"name"`
	Kind string `json:"kind"` // "test", "example", "fuzz", "main"
}

// Job asks for trials First..First+Count-1 of one test.
type Job struct {
	Test     string  `json:"test"`
	Strategy string  `json:"strategy"`
	Seed     uint64  `json:"seed"` // the run's seed; trials derive theirs with TrialSeed
	First    int     `json:"first"`
	Count    int     `json:"count"`
	MaxSteps int     `json:"max_steps"`        // step budget of a trial; those without a choice do not count
	Strict   bool    `json:"strict,omitempty"` // they do
	MaxNanos int64   `json:"max_nanos"`        // stop after this much real time, between trials; 0 = none
	Clock    string  `json:"clock"`            // "idle" or "race"
	Switch   float64 `json:"switch,omitempty"`
	Search   bool    `json:"search,omitempty"` // the strategy is a Searcher
	Leak     bool    `json:"leak"`
	Race     bool    `json:"race"`
	KeepOn   bool    `json:"keep_on"` // go on after a failure, reporting each Key once
	// Skip lists trials that end the process: a worker that must show a strategy earlier
	// trials of a block leaves them out, see Learner.
	Skip []int `json:"skip,omitempty"`
	// Cold: the process's first trial is a trial like others. Otherwise the worker first
	// runs the test once, unscheduled, so that what a process initialises at first use
	// is there in every trial, whichever process runs it.
	Cold  bool `json:"cold,omitempty"`
	Trace bool `json:"trace,omitempty"` // full tracing: Steps, stacks, test output
	// Orders asks for the partial orders of the trials, see Result.Orders.
	Orders bool `json:"orders,omitempty"`
	// Audit compares what happens with the claims of the static analysis.
	Audit *Audit `json:"audit,omitempty"`
	// Replay is the schedule to follow instead of a strategy. Each element is one trial:
	// First..First+len-1. Loose replays (minimisation) fall back to "keep running the
	// last task" where the schedule does not fit; strict ones report Divergence.
	Replay []Replay `json:"replay,omitempty"`
}

// Trials returns the number of trials that the job asks for.
func (j *Job) Trials() int {
	if len(j.Replay) > 0 {
		return len(j.Replay)
	}
	return j.Count
}

// Replay is one schedule to follow.
type Replay struct {
	Seed      uint64   `json:"seed"` // the trial's seed: the program's own random choices
	Decisions []TaskID `json:"decisions"`
	Loose     bool     `json:"loose,omitempty"`
	Choices   []Choice `json:"choices,omitempty"`
	// Turns: after the decisions, the tasks that can go on take turns, a step each.
	Turns bool `json:"turns,omitempty"`
}

// Result answers a Job when it is done, or when a failure ends it.
type Result struct {
	Trials   int           `json:"trials"` // completed, including a failing one
	Steps    int64         `json:"steps"`
	Distinct []uint64      `json:"distinct,omitempty"` // trace hashes of the trials
	Failures []TrialRecord `json:"failures,omitempty"`
	// Violations are those of Job.Audit, at most one for each location, and Accesses the
	// accesses to plain memory that it has seen.
	Violations []Violation  `json:"violations,omitempty"`
	Accesses   AccessCount  `json:"accesses,omitzero"`
	Last       *TrialRecord `json:"last,omitempty"` // with Trace: the last trial, failing or not
	Recycle    bool         `json:"recycle"`        // the worker is full of left-over goroutines and will exit
	TimedOut   bool         `json:"timed_out,omitempty"`
	Skipped    bool         `json:"skipped,omitempty"` // the test called Skip in every trial
	Error      string       `json:"error,omitempty"`   // the job could not be run
	Notes      []string     `json:"notes,omitempty"`   // e.g. interaction with uncontrolled goroutines
	HeapBytes  uint64       `json:"heap_bytes,omitempty"`
	Search     *Search      `json:"search,omitempty"` // of a Searcher: since the search began
	Orders     *Orders      `json:"orders,omitempty"` // with Job.Orders
}

// Orders counts the partial orders of a job's trials, see PartialOrder.
type Orders struct {
	Counts  []OrderCount `json:"counts"`
	Tasks   int          `json:"tasks"`   // the most tasks that a trial had
	Choices int          `json:"choices"` // the most points of a trial at which at least two tasks were enabled
}

// OrderCount counts the trials of one partial order.
type OrderCount struct {
	Hash   uint64 `json:"hash"`
	Trials int    `json:"trials"`
	First  int    `json:"first"` // the lowest index of these trials
}

// TrialRecord is everything that is known of one trial.
type TrialRecord struct {
	Trial      int         `json:"trial"`
	Seed       uint64      `json:"seed"` // the trial's seed
	Hash       uint64      `json:"hash"` // of the sequence of (task path, kind, site): equal for equal executions
	Decisions  []TaskID    `json:"decisions"`
	Choices    []Choice    `json:"choices,omitempty"`
	Turns      bool        `json:"turns,omitempty"` // Decisions is the beginning, see Replay.Turns
	Failure    *Failure    `json:"failure,omitempty"`
	Divergence *Divergence `json:"divergence,omitempty"`
	Tasks      []TaskInfo  `json:"tasks,omitempty"` // with Trace
	Steps      []Step      `json:"steps,omitempty"` // with Trace; as many as Decisions, plus events
	Output     string      `json:"output,omitempty"`
	// Omitted is the number of decisions whose steps are missing in Steps, before the one at
	// index OmittedAt: of a long trial the beginning and the end are traced.
	Omitted   int `json:"omitted,omitempty"`
	OmittedAt int `json:"omitted_at,omitempty"`
}

// Divergence says where a replay left its schedule.
type Divergence struct {
	Step   int    `json:"step"`
	Reason string `json:"reason"`
}

// TaskInfo describes a task of a traced trial.
type TaskInfo struct {
	ID      TaskID   `json:"id"`
	Name    string   `json:"name"` // spawn path: "main", "1", "1.2"; the clock's timers "timer 1"
	Func    string   `json:"func"`
	Spawned Position `json:"spawned"`
}

// Step is one step of a traced trial.
type Step struct {
	Task    TaskID   `json:"task"`
	Kind    string   `json:"kind"`
	Site    Position `json:"site"`
	Object  string   `json:"object,omitempty"`  // "mutex 1", "chan 2": numbered by first use; the parent adds source names
	Addr    uint64   `json:"addr,omitempty"`    // identity of the object within the trial; not stable between processes
	Enabled int      `json:"enabled,omitempty"` // number of tasks among which this one was chosen; 0 for an Event
	Blocked bool     `json:"blocked,omitempty"` // the operation parked the task
	Value   string   `json:"value,omitempty"`
	Now     int64    `json:"now,omitempty"` // virtual nanoseconds since the trial began
	// Event: not a choice of the strategy, but something that a task did since its last
	// one: an unlock or WaitGroup.Done, a go statement, its exit.
	Event bool `json:"event,omitempty"`
}

// Status is the layout of the shared page, 8-byte words.
const (
	StatusTrial = 0 // index of the running trial
	StatusSteps = 1 // steps of the running trial, updated now and then
	StatusState = 2 // StateIdle, StateTrial, ...
	StatusBeat  = 3 // grows whenever a trial makes progress
	StatusWords = 64

	// The choices of the running trial, as many as there is room for.
	StatusChoices    = 7 // their number
	StatusChoice     = 8 // the first one, see Choice.Word
	StatusMaxChoices = StatusWords - StatusChoice

	// Decisions of the running trial follow the words, one int32 each, when the job is
	// traced; their number is StatusDecisions. They survive the death of the worker.
	StatusDecisions = 4
	StatusSize      = 1 << 22
)

// Values of the StatusState word.
const (
	StateIdle = iota
	StateTrial
	StateGC
	StateIO // waiting for real input/output
)
