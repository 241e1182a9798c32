package sched

// FailureKind says how a trial failed. Its string values are part of the schema of
// schedules and of the JSON output.
type FailureKind string

const (
	FailNone     FailureKind = ""
	FailTest     FailureKind = "fail"     // the test called Fail, Error or Fatal, or an example printed something else
	FailPanic    FailureKind = "panic"    // an unrecovered panic in any goroutine
	FailFatal    FailureKind = "fatal"    // a runtime fatal error, e.g. concurrent map writes
	FailExit     FailureKind = "exit"     // the program called os.Exit or log.Fatal inside the test
	FailDeadlock FailureKind = "deadlock" // the test cannot go on: nothing is enabled and nothing can wake it
	FailLeak     FailureKind = "leak"     // the test has returned and a goroutine of it can never proceed
	FailRace     FailureKind = "race"     // two enabled tasks are about to touch the same memory, one writing
	FailLivelock FailureKind = "livelock" // tasks go on, but none makes progress
	FailHang     FailureKind = "hang"     // a step did not return in real time
	FailMemory   FailureKind = "memory"   // the process used more memory than a worker may, natively, too
)

// Failure describes how one trial failed. A worker fills it in; for panic, fatal,
// exit, hang and memory, which end the worker, the parent does.
type Failure struct {
	Kind    FailureKind `json:"kind"`
	Message string      `json:"message"`          // one sentence, in the program's words
	Output  string      `json:"output,omitempty"` // the test's log, a panic's text, stacks
	// Key is equal for failures with the same cause: kind and sites, no addresses,
	// numbers or schedule.
	Key   string      `json:"key"`
	Tasks []TaskState `json:"tasks,omitempty"` // deadlock, leak, livelock, race: the tasks involved
	// Omitted is the number of further tasks, which are not described.
	Omitted int `json:"omitted,omitempty"`
}

// TaskState says where a task is, for a report.
type TaskState struct {
	Task  TaskID   `json:"task"`
	State string   `json:"state"` // "blocked", "enabled", "holds", "racing"
	Op    Kind     `json:"-"`
	OpStr string   `json:"op"`
	Site  Position `json:"site"`
	// Object names what it waits for or touches, e.g. "mutex bank.go:12 (acct.mu)".
	Object string `json:"object,omitempty"`
	// HeldBy is the task that holds the lock that this one waits for; NoTask if none.
	HeldBy TaskID `json:"held_by"`
	Stack  string `json:"stack,omitempty"`
}

// Position is a resolved Site.
type Position struct {
	File string `json:"file,omitempty"`
	Line int    `json:"line,omitempty"`
	Func string `json:"func,omitempty"`
	// Access is the instrumenter's site number of a memory access, which the parent
	// resolves with its site table; 0 for a runtime operation.
	Access uint32 `json:"access,omitempty"`
}
