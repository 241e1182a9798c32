package conductor

import (
	"runtime"
	"slices"
	"time"

	"github.com/coopvet/coop/runner/sched"
)

// How long, in real time, the conductor waits for what it does not control before it
// lets the virtual clock go on, and before it calls the test deadlocked.
const (
	ioGrace         = 2 * time.Millisecond
	maxGraces       = 5 // in vain, after which it only looks
	ioPatience      = 3 * time.Second
	signalGrace     = 100 * time.Microsecond
	foreignPatience = time.Second
)

// idle is called when no task is enabled: it makes something happen. It reports false
// if nothing can: the test has ended, or is deadlocked.
func (c *conductor) idle() bool {
	runtime.Gosched() // goroutines of the runtime that serve a task
	c.takeHeld()
	if c.pending() {
		return true
	}
	if netWaiters() > 0 && pollNet() {
		c.takeHeld()
		return true
	}
	_, next := clock()
	if c.root.state == exited && c.timersFired > afterTimers {
		next = 0
	}
	if next == 0 && c.alive == 0 {
		return false
	}
	switch {
	case inSyscall() > 0:
		// The system call takes as long as it takes, and timers keep real time with it.
		if c.await(c.until(next)) {
			return true
		}
	case netWaiters() > 0 && c.root.state != exited:
		if c.awaitChild(c.until(next)) {
			return true
		}
		grace := c.ioGrace()
		if next == 0 {
			grace = ioPatience
		}
		if c.await(grace) {
			c.graces = 0
			return true
		}
	case c.root.state != exited && (next == 0 || c.signals || c.observed) && (c.foreigners() || c.observed && c.within(tracer)):
		grace := signalGrace
		if next == 0 || c.observed && c.within(observer) {
			grace = foreignPatience
		}
		if c.await(grace) {
			return true
		}
	}
	if next == 0 {
		return false
	}
	if c.root.state == exited {
		c.timersFired++
	}
	c.ticked, c.ticks = c.steps, 0
	c.publish(sched.Ticked, nil, nil)
	advance(next)
	c.takeHeld()
	return true
}

// within reports whether a task waits within a function whose name is one of those. Within
// an observer it waits until a trace or a profile has been written, by a goroutine that is
// not controlled.
func (c *conductor) within(those func(name string) bool) bool {
	var pcs [16]uintptr
	for _, t := range c.tasks {
		if t.state != blocked || t.g == nil {
			continue
		}
		frames := runtime.CallersFrames(pcs[:callers(t.g, pcs[:])])
		for more := true; more; {
			var f runtime.Frame
			if f, more = frames.Next(); those(f.Function) {
				return true
			}
		}
	}
	return false
}

// ioGrace returns how long to wait for input before the clock goes on: less and less while
// nobody makes a system call. What tasks have sent themselves has arrived after the first
// time or two.
func (c *conductor) ioGrace() time.Duration {
	if c.sent != calls || forked {
		c.sent, c.graces = calls, 0
	}
	c.graces++
	if c.graces > maxGraces {
		return 0
	}
	return ioGrace >> (c.graces - 1)
}

// tick moves the clock while tasks are enabled. If they only wait, it goes to the next
// timer, or, for a clock that is only looked at, on by a span that doubles until it moves of
// itself. If they work, it goes on steadily: a timer that ends a test which takes an hour
// must not fire because of a few steps, but one that ends a loop must fire at last.
func (c *conductor) tick() {
	steps := c.steps - c.ticked
	c.ticked = c.steps
	now, next := clock()
	switch worked := now + int64(steps)*int64(c.stepTime()); {
	case !c.spinning(c.steps, clockPatience, true):
		if next == 0 || worked < next {
			next = worked
		}
	case next == 0:
		next = now + int64(tickSpan)<<min(c.ticks, 20)
		c.ticks++
	}
	cur := c.cur
	c.cur = nil // what a timer starts is nobody's child
	advance(next)
	c.takeHeld()
	c.cur = cur
}

const (
	tickSpan  = time.Millisecond
	workTime  = time.Microsecond      // of a step of tasks that work
	sleepTime = 10 * time.Microsecond // the same, while another one sleeps
	manySteps = 500_000
)

// stepTime is what a step takes for tasks that work. It is longer than in reality, so that a
// test that works for some seconds ends soon, above all one in which who is to end it
// sleeps; but a test that takes many steps is not to run into timeouts of seconds.
func (c *conductor) stepTime() time.Duration {
	sleeps := func(t *task) bool { return t.state == blocked && t.last().Kind == sched.Sleep }
	if c.steps < manySteps && slices.ContainsFunc(c.tasks, sleeps) {
		return sleepTime
	}
	return workTime
}

// pending reports whether a task can go on.
func (c *conductor) pending() bool {
	return c.settled < len(c.unsettled) || c.able() > 0 || len(c.changed) > 0
}

// until returns the real time to wait for a timer at next, virtual time.
func (c *conductor) until(next int64) time.Duration {
	now, _ := clock()
	if next == 0 {
		return 1 << 62
	}
	return time.Duration(next - now)
}

// await waits in real time until a task can go on, at most for d.
func (c *conductor) await(d time.Duration) bool {
	c.status[sched.StatusState] = sched.StateIO
	defer func() { c.status[sched.StatusState] = sched.StateTrial }()
	start := nanotime()
	pause := 10 * time.Microsecond
	for {
		runtime.Gosched() // uncontrolled goroutines run
		if pollNet() {
			c.takeHeld()
			if c.pending() {
				return true
			}
		}
		if nanotime()-start > int64(d) {
			return false
		}
		time.Sleep(pause)
		if pause < time.Millisecond {
			pause *= 2
		}
	}
}

// foreigners reports whether goroutines outside control may be at work.
func (c *conductor) foreigners() bool { return runtime.NumGoroutine() > 1+c.alive+c.left }

// offerClock makes the next timer a choice of the strategy: a goroutine may be delayed
// for any length of time, so a timer may fire while tasks are enabled.
func (c *conductor) offerClock() {
	_, next := clock()
	if next == 0 {
		if c.clockTask != nil {
			c.disable(c.clockTask)
		}
		return
	}
	if c.clockTask == nil {
		t := c.newTask(nil, nil)
		t.Path = clockPath
		t.foreign = true
		c.alive--
		c.clockTask = t
		c.publish(sched.Spawned, t, nil)
	}
	c.clockTask.Pending = sched.Op{Kind: sched.TimerFire}
	c.enable(c.clockTask)
	c.publish(sched.Announced, c.clockTask, &c.clockTask.Pending)
}

// clockPath is the spawn path of the clock, which may join a trial at any time.
const clockPath = 0xc10c

// fireTimer performs the clock's step.
func (c *conductor) fireTimer() {
	c.disable(c.clockTask)
	c.clockTask.state = blocked
	c.cur = nil
	if _, next := clock(); next != 0 {
		advance(next)
	}
	c.takeHeld()
}

// beat shows the parent that the trial makes progress.
func (c *conductor) beat() {
	c.status[sched.StatusSteps] = uint64(c.steps)
	c.status[sched.StatusBeat]++
}
