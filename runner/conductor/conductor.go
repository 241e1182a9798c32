// Package conductor runs trials inside the program under test: one execution of a test
// under a schedule that a strategy chooses.
//
// # Model
//
// Every goroutine of the test is a task. Exactly one task holds the token and runs;
// the others are held by the patched runtime (package instrument/toolchain), blocked in
// it, or done. A task reaches a scheduling point when it is about to perform a visible
// operation: an access to memory (package probe) or an operation of the runtime and of
// package sync. There it announces the operation, and the strategy chooses, among all
// enabled tasks, who performs the next step.
//
// # Invariants
//
//   - When a strategy chooses, every task has a known pending operation or is blocked:
//     a task that was created or woken first runs, unseen, to its next scheduling point.
//   - Between two scheduling points a task runs alone; what it does there, others cannot
//     tell from one indivisible step, unless the program has a data race on memory that
//     is not instrumented.
//   - Everything that a step depends on is determined by the trial's seed, the
//     decisions and the state that earlier trials left in package-level variables: time
//     is virtual, the runtime's random numbers come from the seed.
//   - A step allocates nothing and captures no stack, unless the trial is traced.
//
// # Limits
//
// System calls and the network are real: a task that waits for them is waited for in
// real time, and their results are not part of the schedule.
//
// The package is linked into test binaries, where package testing calls Serve. It uses
// the standard library only, and it compiles to anything useful only inside the patched
// toolchain.
package conductor

import (
	"unsafe"

	"github.com/coopvet/coop/runner/conductor/probe"
	"github.com/coopvet/coop/runner/detect"
	"github.com/coopvet/coop/runner/sched"
)

// the is the process's conductor: the runtime has one token, and hooks have no receiver.
var the conductor

// conductor is the state of the running trial, reused by the next one.
type conductor struct {
	sites     sites
	listeners [sched.NumEvents][]sched.Listener
	strategy  sched.Strategy
	watcher   sched.Watcher // the strategy, if it is one
	chooser   sched.Chooser // the strategy, if it is one
	choices   []sched.Choice

	// Tasks of the trial. pool keeps them for later trials.
	tasks     []*task
	pool      []*task
	base      uint32           // number of task 0
	starts    map[uintptr]bool // by the function of a goroutine: it is uncontrolled
	alive     int
	foreign   int
	observed  bool // the process has asked for a trace or a profile
	signals   bool // the process has asked for signals, which arrive in real time
	enabled   []*sched.Task
	resting   []*task // have yielded: could go on, but the strategy does not see them
	yields    bool    // tasks that yield rest
	waiters   []*task // at a scheduling point, not enabled
	changed   []uintptr
	told      sched.Op             // an operation that is no scheduling point, while listeners hear of it
	expected  [1 << 12]expectation // by object
	unsettled []*task              // a queue; settled counts those taken
	settled   int

	cur  *task // the token holder; nil if the conductor runs
	last sched.TaskID
	root *task

	clockRace bool  // timers may fire although tasks are enabled
	clockTask *task // stands for the virtual clock among the enabled tasks; nil if it has not been needed
	program   bool  // the trial runs a program: it ends when main returns
	ticks     int   // how often in a row the clock had to be moved although tasks were enabled
	ticked    int   // the step at which the clock was moved last
	halted    bool  // the trial is over, whoever is enabled

	steps, maxSteps int
	budget, solo    int  // maxSteps without extension; steps for which one task was enabled
	unseen          uint // accesses of tasks that were alone
	onward          bool // the budget is spent, the trial goes on to its end without choices
	strict, exact   bool // no extension: of all trials of the job, of the rest of this one
	budgetSpent     bool
	spins           // since when no task has made progress
	hash            uint64
	rests           uint32 // of bubbles, when a task was woken last
	calls           uint32 // system calls when the network poller was asked last,
	polled          int    // and the step
	loopback        loopback
	sent            uint32         // system calls when the clock was kept waiting last,
	graces          int            // and how often in a row that was in vain
	decisions       []sched.TaskID // the status page's,
	further         []sched.TaskID // and those that it has no room for
	status          *[sched.StatusWords]uint64
	failure         *sched.Failure
	run             Run
	outcome         Outcome
	unfinished      bool // the budget was spent, but that is no failure
	leakOracle      bool
	left            int // goroutines that earlier trials of the process have left behind
	timersFired     int // after the root's exit
	rec             *recorder
	orders          *orders       // of the job; nil if they are not wanted
	audit           *detect.Audit // nil: the job asks for none

	trialInfo sched.TrialInfo
	rand      sched.Rand

	drainGs  [64]unsafe.Pointer
	drainIDs [64]uint32

	leaks leaks
}

// publish tells the listeners of an event.
func (c *conductor) publish(kind sched.EventKind, t *task, op *sched.Op) {
	if c.listeners[kind] != nil {
		c.tell(kind, t, op)
	}
}

func (c *conductor) tell(kind sched.EventKind, t *task, op *sched.Op) {
	for _, l := range c.listeners[kind] {
		var st *sched.Task
		if t != nil {
			st = &t.Task
		}
		l.Event(kind, st, op, c)
	}
}

// listen attaches a listener.
func (c *conductor) listen(l sched.Listener) {
	mask := l.Events()
	for k := range c.listeners {
		if mask&(1<<k) != 0 {
			c.listeners[k] = append(c.listeners[k], l)
		}
	}
}

// Fail implements sched.Control.
func (c *conductor) Fail(f *sched.Failure) {
	if c.failure == nil {
		c.failure = f
	}
}

// Position implements sched.Control.
func (c *conductor) Position(s sched.Site) sched.Position { return c.sites.position(s) }

// clockPatience is the number of steps after which the clock goes on although tasks are
// enabled: a task may be busy until a timer fires.
const clockPatience = 10_000

// pollPatience is the number of steps after which the network poller is asked again
// although no task has made a system call.
const pollPatience = 1000

// Limits on what happens after the test function has returned, when the goroutines
// that it left get the chance to end.
const (
	afterSteps  = 100_000
	afterTimers = 1_000
)

// The virtual clock starts every trial at the same time, an hour after the real
// monotonic time at which the process started, so that times taken during package
// initialisation lie before it. It is a moment like others: no minute, day or year begins,
// when the jobs of a program may be due.
const (
	startWall = 1770805056_481516234 // 2026-02-11 10:17:36.481516234 UTC
	startLead = 3600 * 1e9
)

var startMono int64 // set by Serve

// trial runs a test once. The strategy is c.strategy; the outcome is left in c.
func (c *conductor) trial(start func() Run, trial int, seed uint64, maxSteps int) {
	c.base += uint32(len(c.tasks))
	if c.base == 0 || c.base > numberLimit {
		c.base = 1
		clear(c.expected[:])
	}
	c.tasks = c.tasks[:0]
	c.enabled = c.enabled[:0]
	c.resting = c.resting[:0]
	c.waiters = c.waiters[:0]
	c.changed = c.changed[:0]
	c.unsettled = c.unsettled[:0]
	c.settled, c.alive, c.foreign = 0, 0, 0
	c.cur, c.last, inside = nil, sched.NoTask, false
	c.steps, c.maxSteps, c.budgetSpent = 0, maxSteps, false
	c.progressAt(0)
	c.budget, c.solo, c.onward, c.exact, c.further = maxSteps, 0, false, c.strict, c.further[:0]
	c.hash, c.failure, c.timersFired, c.polled = 0, nil, 0, 0
	c.clockTask, c.halted, c.ticked, c.ticks = nil, false, 0, 0
	c.graces, c.unseen = 0, 0
	c.outcome, c.unfinished = Outcome{}, false

	c.rand.Seed(sched.Mix(seed + 1))
	c.trialInfo = sched.TrialInfo{Trial: trial, Seed: seed, Rand: &c.rand}
	c.watcher, _ = c.strategy.(sched.Watcher)
	c.setChoices()
	c.setYields()
	s := c.strategy
	s.Begin(c.trialInfo)
	clearPools()
	now := startMono + startLead
	c.run = start()
	setStacks(c.run.Callers, c.run.Main, c.run.Starter)
	c.root = c.newTask(begin(c.run.Go, c.base, sched.Mix(seed+2), now, startWall-now), nil)
	c.unsettled = append(c.unsettled, c.root)
	c.publish(sched.TrialBegin, nil, nil)
	c.publish(sched.Spawned, c.root, nil)
	probe.On = true
	c.loop()
	probe.On = false
	c.judge()
	c.publish(sched.TrialEnd, nil, nil)
	end()
	c.strategy = s
	if e, ok := s.(sched.TrialEnder); ok {
		kind := sched.FailNone
		if c.failure != nil {
			kind = c.failure.Kind
		}
		e.End(c.steps, kind)
	}
}

// loop is the trial on the conductor's own goroutine, which runs whenever no task holds
// the token.
func (c *conductor) loop() {
	for c.failure == nil {
		if c.steps-c.ticked > clockPatience {
			c.tick()
		}
		next := c.nextUnsettled()
		if next != nil {
			c.cur = next
			next.state = running
		} else if next = c.turn(); next == nil {
			if c.failure != nil || c.budgetSpent || c.halted || !c.idle() {
				return
			}
			continue
		} else if next == c.clockTask {
			c.fireTimer()
			continue
		}
		gone := run(next.g)
		c.takeHeld() // first: c.cur is the parent of what it started
		if t := c.cur; t != nil {
			if gone != 0 {
				c.exit(t)
				if t == c.root {
					c.rootExited()
				}
			} else {
				c.disable(t)
				if t.state == running {
					t.state = blocked
				}
				c.publish(sched.Blocked, t, nil)
			}
			c.cur = nil
		}
	}
}

// turn returns the task that a task on its own stack has picked but cannot switch to,
// or picks one.
func (c *conductor) turn() *task {
	if c.clockTask != nil && c.clockTask.state == running {
		return c.clockTask
	}
	return c.pick()
}

func (c *conductor) rootExited() {
	c.run.End()
	if c.program {
		c.halted = true
		return
	}
	if c.maxSteps > c.steps+afterSteps {
		c.maxSteps, c.exact = c.steps+afterSteps, true
	}
}
