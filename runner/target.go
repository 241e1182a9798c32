// Package runner is the parent's side of a run: it starts the instrumented test
// binary as worker processes, hands out trials, survives whatever a trial does to
// its process, and turns failing trials into confirmed, minimised findings.
//
// # Model
//
// A trial is determined by the test, the run's seed and the trial's index. Trials
// are handed out in spans to any number of workers. When one fails, the trials
// before it are still completed and the failure with the lowest index is reported,
// so the outcome does not depend on the number of workers or their speed. It can
// depend on state that a test leaves in package variables for the next trial of its
// process; a failing trial is therefore repeated in a fresh process, and the report
// says so if it does not fail there.
//
// A panic, a fatal error, os.Exit, a hang or runaway memory ends a worker. The status
// page, memory shared with the worker, tells which trial was running.
package runner

import (
	"regexp"
	"time"

	"github.com/coopvet/coop/runner/report"
)

// Target is an instrumented test binary.
type Target struct {
	Package string   // import path
	Dir     string   // directory of the package; the binary runs there
	Binary  string   // file
	Build   string   // what Hello.Build must be
	Go      string   // release of the toolchain that built it
	Roots   []string // directories to which reports name files relatively: of the standard library, of modules
	Args    []string // arguments of the test binary or program
	Env     []string // environment of the workers; nil: that of this process
	Main    bool     // a program without tests: a trial is a run of main.main
	Names   Names    // names of memory accesses and objects for the report
	Claims  string   // file of what the static analysis claims of the accesses, see sched.Audit; "": no audit
}

// Names resolves what a worker only knows by number.
type Names interface {
	// Access returns the source expression and position of an instrumented memory
	// access; ok is false for an unknown number.
	Access(site uint32) (expr string, pos report.Position, ok bool)
}

// Options says what to explore and how.
type Options struct {
	Run        *regexp.Regexp // tests to run; nil: all
	Strategy   string
	Native     bool // Strategy leaves the schedule to the Go runtime
	Block      int  // trials that are best run by one worker, see sched.Learner; 0 stands for 1
	Search     bool // the strategy explores exhaustively, see sched.Searcher: a test's trials are one worker's
	Seed       uint64
	Trials     int           // per test; 0: as many as fit into Budget
	Budget     time.Duration // time per test; 0: as long as Trials take
	Workers    int           // processes that explore at once, at least 1
	Clock      string        // "idle" or "race"
	Switch     float64       // see sched.Job
	MaxSteps   int           // step budget of a trial
	Race       bool          // look for data races
	Leak       bool          // look for leaked goroutines
	Isolate    bool          // one process per trial
	Orders     bool          // count partial orders, for report.TestResult.Orders
	KeepGoing  bool          // look for further failures of a test that has failed
	Hang       time.Duration // a step that takes longer is a hang
	Memory     int64         // bytes of resident memory at which a worker is killed
	Minimise   time.Duration // time for making one schedule shorter
	SaveDir    string        // directory of saved schedules, a subdirectory per test
	Command    string        // the command line before a replayed schedule's name
	WorkingDir string        // paths in replay commands are relative to it
	Version    string        // of cooprun, recorded in schedules
}
