// Package report tells people and programs what cooprun does and finds.
//
// A run is a sequence of Events. Handlers turn them into text for people (Text) or
// into newline-delimited JSON (JSON); the events' JSON form, documented at JSON, is
// a versioned schema. Nothing here runs or analyses anything, so that reports are
// tested on saved events.
package report

// Handler takes the events of a run, one after the other.
type Handler interface {
	Handle(Event)
}

// Event is one of the types of this file.
type Event interface {
	// event returns the name of the event in the JSON schema.
	event() string
}

// Start opens a run.
type Start struct {
	Schema   int     `json:"schema"` // SchemaVersion
	Coop     string  `json:"coop"`   // version of cooprun
	Go       string  `json:"go"`     // release of the patched toolchain
	Strategy string  `json:"strategy"`
	Seed     uint64  `json:"seed"`
	Trials   int     `json:"trials,omitempty"`   // schedules per test; 0: limited by time alone
	Seconds  float64 `json:"seconds,omitempty"`  // time per test; 0: limited by number alone
	Workers  int     `json:"workers,omitempty"`  // processes that explore at once
	Isolated bool    `json:"isolated,omitempty"` // one process per schedule
}

// Build says that a test binary is ready, or why it is not.
type Build struct {
	Package      string  `json:"package"`
	Instrumented int     `json:"instrumented"` // packages with probes in the binary
	Sites        int     `json:"sites"`        // memory accesses with a probe
	Cached       bool    `json:"cached,omitempty"`
	Seconds      float64 `json:"seconds"`
	Error        string  `json:"error,omitempty"` // what the compiler said
}

// Progress is sent now and then while tests run.
type Progress struct {
	Package   string  `json:"package"`
	Test      string  `json:"test"` // the first test that is not finished
	TestsDone int     `json:"tests_done"`
	Tests     int     `json:"tests"`
	Trials    int     `json:"trials"`     // of the package, so far
	PerSecond float64 `json:"per_second"` // trials
	Distinct  int     `json:"distinct"`   // different executions
	Activity  string  `json:"activity,omitempty"`
}

// Finding is a failing schedule, re-run in a fresh process and minimised.
type Finding struct {
	Package    string   `json:"package"`
	Dir        string   `json:"dir"` // directory of the package; files are relative to it
	Test       string   `json:"test"`
	Kind       string   `json:"kind"`            // see sched.FailureKind
	Message    string   `json:"message"`         // one sentence, in the program's words
	Key        string   `json:"key"`             // equal for findings with the same cause
	Strategy   string   `json:"strategy"`        // that found it
	Seed       uint64   `json:"seed"`            // of the run
	Trial      int      `json:"trial"`           // index of the failing schedule, from 0
	Saved      bool     `json:"saved"`           // found by a schedule kept from an earlier run
	Reproduced bool     `json:"reproduced"`      // it failed again in a fresh process
	Switches   int      `json:"switches"`        // context switches of the schedule shown
	Original   int      `json:"original"`        // context switches of the schedule found
	Turns      bool     `json:"turns,omitempty"` // after the Switches, the goroutines take turns, a step each
	Tasks      []Task   `json:"tasks,omitempty"`
	Steps      []Step   `json:"steps,omitempty"`
	Gap        int      `json:"gap,omitempty"`     // number of choices whose steps are missing in Steps,
	GapAt      int      `json:"gap_at,omitempty"`  // before the one at this index
	States     []State  `json:"states,omitempty"`  // the tasks involved, at the end
	Omitted    int      `json:"omitted,omitempty"` // number of tasks involved that are not among States
	Output     string   `json:"output,omitempty"`  // the test's log, a panic's text, stacks
	File       string   `json:"file,omitempty"`    // where the schedule was saved
	Token      string   `json:"token,omitempty"`
	Replay     string   `json:"replay,omitempty"` // command that repeats it
	Notes      []string `json:"notes,omitempty"`
}

// Position is a place in the source. File is relative to the package's directory
// where it lies inside; files of the standard library are given by import path.
type Position struct {
	File string `json:"file,omitempty"`
	Line int    `json:"line,omitempty"`
	Func string `json:"func,omitempty"`
}

// Task describes a goroutine of a finding.
type Task struct {
	ID      int      `json:"id"`
	Name    string   `json:"name"` // spawn path: "main", "1", "1.2"
	Func    string   `json:"func,omitempty"`
	Spawned Position `json:"spawned"` // the go statement
}

// Step is one step of a schedule.
type Step struct {
	Task    int    `json:"task"`
	Op      string `json:"op"`               // name of a sched.Kind
	Object  string `json:"object,omitempty"` // in the program's words: "acct.mu", "forks[i] (mutex 2)"
	Enabled int    `json:"enabled"`          // how many tasks could have made this step
	Blocked bool   `json:"blocked,omitempty"`
	Private bool   `json:"private,omitempty"` // an access to memory that no other task touches in this schedule
	Value   string `json:"value,omitempty"`
	Now     int64  `json:"now,omitempty"` // virtual nanoseconds since the trial began
	Position
}

// State says where a task is when the schedule ends.
type State struct {
	Task   int    `json:"task"`
	State  string `json:"state"` // "blocked", "enabled", "holds", "racing"
	Op     string `json:"op"`
	Object string `json:"object,omitempty"`
	HeldBy int    `json:"held_by"` // the task that holds Object; -1 for none
	Stack  string `json:"stack,omitempty"`
	Position
}

// Note is something the user should know that is not a finding.
type Note struct {
	Package string `json:"package,omitempty"`
	Test    string `json:"test,omitempty"`
	Text    string `json:"text"`
}

// Status of a test or package.
const (
	Pass  = "pass"
	Fail  = "fail"
	Skip  = "skip"  // the test skipped itself; the package has nothing to run
	Error = "error" // it could not be run
)

// TestResult closes a test. Results come in source order.
type TestResult struct {
	Package  string  `json:"package"`
	Test     string  `json:"test"`
	Status   string  `json:"status"`
	Findings int     `json:"findings"`
	Trials   int     `json:"trials"`
	Distinct int     `json:"distinct"` // different executions among them
	Steps    int64   `json:"steps"`
	Seconds  float64 `json:"seconds"`          // from its first schedule to its last
	Search   *Search `json:"search,omitempty"` // of an exhaustive search
	Orders   *Orders `json:"orders,omitempty"` // with -stats
	// Accesses is known with -audit.
	Accesses *Accesses `json:"accesses,omitempty"`
}

// Accesses counts the accesses to plain memory in the schedules of a test. All are
// scheduling points in an audit, and Visible would be without one.
type Accesses struct {
	All     int64 `json:"all"`
	Visible int64 `json:"visible"`
}

// Search says what an exhaustive search has explored.
type Search struct {
	Complete  bool     `json:"complete"`
	Of        string   `json:"of"`                // what is counted: "classes", ...
	Explored  int      `json:"explored"`          // how many
	Redundant int      `json:"redundant"`         // executions that repeated one
	Open      int      `json:"open"`              // known choices that have not been explored
	Unknown   []string `json:"unknown,omitempty"` // why there may be more than was seen
}

// Orders says which partial orders the schedules of a test were of, and so what may
// still be hidden. Schedules of one partial order differ in nothing but the order of independent
// operations.
type Orders struct {
	Trials   int     `json:"trials"`   // schedules that were counted: those that ended the process are not
	Distinct int     `json:"distinct"` // different partial orders among them
	Top      float64 `json:"top"`      // share of the most frequent one
	// Unseen is the Good-Turing estimate of the probability that another schedule of the
	// strategy is of a partial order that has not occurred: the share of those that have
	// occurred once. UnseenMax is an upper limit of that probability; 1 if there is none, because
	// the schedules were too few or a failure ended them. It is wrong in at most a share of
	// 1-Confidence of all runs.
	Unseen     float64 `json:"unseen"`
	UnseenMax  float64 `json:"unseen_max"`
	Confidence float64 `json:"confidence"`
	// Tasks and Choices are PCT's n and k, measured: the most goroutines of a schedule, and the
	// most points at which at least two could go on. PCT[d-1] = 1/(n·k^(d-1)) is the probability
	// with which a schedule of strategy pct:d finds a bug of depth d, at least.
	Tasks   int       `json:"tasks"`
	Choices int       `json:"choices"`
	PCT     []float64 `json:"pct,omitempty"`
}

// Comparison compares strategies on one test, see -compare.
type Comparison struct {
	Package    string     `json:"package"`
	Test       string     `json:"test"`
	Trials     int        `json:"trials"` // at most, of each experiment
	Seeds      int        `json:"seeds"`  // experiments that Mean is taken over
	Strategies []Compared `json:"strategies"`
}

// Compared is what one strategy does with one test.
type Compared struct {
	Strategy string  `json:"strategy"`
	Mean     float64 `json:"mean"`   // schedules to the first failure; an experiment without one counts with all of its schedules
	Missed   int     `json:"missed"` // experiments without a failure
	Run      int     `json:"run"`    // schedules in all
	// The partial orders of Counted schedules, failing or not; 0 without control. Curve has
	// their number among the first i/n of the schedules, i from 1 to n = len(Curve); Shares the
	// share of each, the largest first, at most 200.
	Counted  int       `json:"counted"`
	Distinct int       `json:"distinct"`
	Curve    []int     `json:"curve,omitempty"`
	Shares   []float64 `json:"shares,omitempty"`
}

// PackageResult closes a package.
type PackageResult struct {
	Package string  `json:"package"`
	Status  string  `json:"status"`
	Reason  string  `json:"reason,omitempty"` // for Skip and Error: "no test files", ...
	Tests   int     `json:"tests"`
	Trials  int     `json:"trials"`
	Seconds float64 `json:"seconds"`
}

// Summary closes a run.
type Summary struct {
	Packages    int     `json:"packages"`
	Tests       int     `json:"tests"`
	Failed      int     `json:"failed"` // tests with a finding
	Findings    int     `json:"findings"`
	Trials      int     `json:"trials"`
	Seconds     float64 `json:"seconds"`
	Interrupted bool    `json:"interrupted,omitempty"`
}

func (Start) event() string         { return "start" }
func (Build) event() string         { return "build" }
func (Progress) event() string      { return "progress" }
func (Finding) event() string       { return "finding" }
func (Note) event() string          { return "note" }
func (TestResult) event() string    { return "test" }
func (Comparison) event() string    { return "comparison" }
func (PackageResult) event() string { return "package" }
func (Summary) event() string       { return "summary" }
