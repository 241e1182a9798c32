package conductor

import (
	"fmt"
	"runtime"
	"strings"

	"github.com/coopvet/coop/runner/sched"
)

// judge decides how the trial ended, when nothing goes on any more. What the oracles
// have found comes first; then what the test itself says; then what is left.
func (c *conductor) judge() {
	c.left += c.alive
	ended := c.root.state == exited
	if c.failure != nil || c.halted {
		return
	}
	var cycle []*task
	if ended || c.budgetSpent {
		cycle = c.lockCycle()
	}
	switch {
	case cycle != nil && !(ended && c.outcome.Failed):
		c.failure = c.stuck(sched.FailDeadlock, "deadlock: goroutines wait for one another's locks, in a cycle", cycle)
	case c.budgetSpent && !ended && c.rec == nil && !c.spentSpinning():
		c.unfinished = true // long, but for all that is known not endless
	case c.budgetSpent && !ended:
		c.failure = c.stuck(sched.FailLivelock, fmt.Sprintf("livelock: the test has not ended after %d steps; the last %d only read, yielded or took locks", c.steps, c.steps-c.progress), c.tasks)
	case !ended:
		c.failure = c.stuck(sched.FailDeadlock, "deadlock: no goroutine of the test can go on", c.tasks)
	case c.outcome.Failed:
		c.failure = &sched.Failure{Kind: sched.FailTest, Message: failedMessage, Key: "fail"}
		if c.outcome.Output != nil {
			c.failure.Output = c.outcome.Output()
			c.failure.Message = cause(&c.outcome, c.failure.Output)
			c.failure.Key = "fail " + failedAt(c.failure.Message)
		}
	case c.leakOracle && !c.budgetSpent:
		c.leak()
	}
}

// leak reports the goroutines of the test that can never proceed. A goroutine that
// existed before the trial is not the test's; one that waits for the network, a system
// call or a timer may proceed.
func (c *conductor) leak() {
	var suspects []*task
	for _, t := range c.tasks {
		if t.foreign || t.silent || t.state != waiting && t.state != blocked {
			continue
		}
		if t.state == blocked {
			if _, _, _, wait := info(t.g); !mayLeak(wait) {
				continue
			}
		}
		suspects = append(suspects, t)
	}
	if len(suspects) == 0 {
		return
	}
	at := c.places(suspects)
	if c.leaks.all || !c.leaks.known[at] {
		if !c.leaks.asks(at) {
			return
		}
		if dead := c.dead(suspects); len(dead) < len(suspects) {
			suspects, at = dead, c.places(dead)
		}
		if len(suspects) == 0 {
			return
		}
		c.leaks.known[at] = true
	}
	c.failure = c.stuck(sched.FailLeak, "goroutine leak: the test has ended, but a goroutine that it started can never go on", suspects)
}

// insideLibrary reports whether a task has been stopped within a call into the standard
// library, where it may hold a lock that later trials need.
func (c *conductor) insideLibrary() bool {
	for _, t := range c.tasks {
		if t.state != exited && (t.silent || t.library != activation{}) {
			return true
		}
	}
	return false
}

func mayLeak(wait string) bool {
	return strings.HasPrefix(wait, "chan") || strings.HasPrefix(wait, "select") || strings.HasPrefix(wait, "sync.")
}

// describe says where a task that is alive is.
func (c *conductor) describe(t *task) sched.TaskState {
	op := t.Pending
	s := sched.TaskState{Task: t.ID, State: "blocked", HeldBy: sched.NoTask}
	switch t.state {
	case blocked:
		op = *t.last()
		_, _, _, wait := info(t.g)
		s.OpStr = waitName(wait, op.Kind)
	case waiting:
		s.OpStr = op.Kind.String()
	default:
		s.State = "enabled"
		s.OpStr = op.Kind.String()
	}
	s.Op = op.Kind
	s.Site, s.Stack = c.where(t)
	if op.Site != 0 && t.state != blocked {
		s.Site = c.sites.position(op.Site)
	}
	if c.rec != nil {
		s.Object = c.rec.label(op.Kind, op.Object)
		s.HeldBy = c.rec.holder(op.Object)
	}
	return s
}

// waitName names the operation that has blocked a task.
func waitName(wait string, last sched.Kind) string {
	switch {
	case strings.HasPrefix(wait, "chan receive"):
		return sched.Recv.String()
	case strings.HasPrefix(wait, "chan send"):
		return sched.Send.String()
	case strings.HasPrefix(wait, "select"):
		return sched.Select.String()
	case wait == "sync.Cond.Wait":
		return sched.CondWait.String()
	case strings.HasPrefix(wait, "sync.WaitGroup"):
		return sched.WaitGroupWait.String()
	case wait == "sync.Mutex.Lock":
		return sched.Lock.String()
	case wait == "sync.RWMutex.RLock":
		return sched.RLock.String()
	case wait == "sync.RWMutex.Lock":
		return sched.WLock.String()
	case wait == "sleep":
		return sched.Sleep.String()
	case wait == "":
		return "system call"
	}
	return wait
}

// where returns the innermost line of the program's own code that t is in, and its
// stack.
func (c *conductor) where(t *task) (sched.Position, string) {
	var pcs [64]uintptr
	n := callers(t.g, pcs[:])
	return c.stack(pcs[:n])
}

// stack describes a stack, from the innermost call on, without the conductor's own
// functions and the runtime's, and returns the innermost line of the program's own code.
func (c *conductor) stack(pcs []uintptr) (sched.Position, string) {
	frames := runtime.CallersFrames(pcs)
	var at sched.Position
	var b strings.Builder
	for {
		f, more := frames.Next()
		p := c.sites.classify(f)
		if p == placePoint && at.File == "" {
			at = sched.Position{File: f.File, Line: f.Line, Func: f.Function}
		}
		if f.Function != "" && !strings.HasPrefix(f.Function, "runtime.") && !strings.HasPrefix(f.Function, "coop/") {
			fmt.Fprintf(&b, "%s\n\t%s:%d\n", f.Function, f.File, f.Line)
		}
		if !more {
			return at, b.String()
		}
	}
}
