package conductor

import (
	"strings"
	"unsafe"

	"github.com/coopvet/coop/runner/sched"
)

// taskState says what a task is doing.
type taskState uint8

const (
	running   taskState = iota // holds the token
	unsettled                  // held, its next operation not yet known
	ready                      // held at a scheduling point, enabled
	waiting                    // held at a scheduling point, not enabled
	blocked                    // parked by the runtime: channel, condition, network, ...
	exited
)

// task is a controlled goroutine.
type task struct {
	sched.Task
	g        unsafe.Pointer
	state    taskState
	yielded  bool         // its last operation was a yield: it is to rest
	listed   bool         // is in the enabled set; a running task may be, its entry is then stale
	silent   bool         // its last operation was none of the program's own code, and is not in op
	bubbled  bool         // its WaitGroup.Wait is made in a bubble of testing/synctest
	selects  bool         // it performs the operation of its last scheduling point; if that is a select, the case may be chosen
	foreign  bool         // existed before the trial
	held     []uintptr    // locks that it has taken exclusively
	expected *expectation // for the object of its pending operation, if that may have to wait
	children int32
	library  activation // the last call into the standard library that was a scheduling point,
	opened   uintptr    // and where the operation was
	gopc     uintptr
	fn       string    // of a traced trial: the function that it runs
	before   sched.Op  // the operation that it performed before it resumed
	chans    []uintptr // backing store of Pending.More
}

// last returns the operation that t has performed last or, at a scheduling point, is
// about to perform.
func (t *task) last() *sched.Op {
	if t.Pending.Kind == sched.Resume {
		return &t.before
	}
	return &t.Pending
}

// Numbers of tasks in the runtime (g.coop): the task's ID plus base; they grow from
// trial to trial, so that a goroutine left over from an earlier one is recognised.
const (
	numberNew     = ^uint32(0)
	numberForeign = ^uint32(0) - 1
	numberLimit   = ^uint32(0) - 1<<24
)

// newTask makes the next task of the trial.
func (c *conductor) newTask(g unsafe.Pointer, parent *task) *task {
	id := len(c.tasks)
	if id == len(c.pool) {
		c.pool = append(c.pool, new(task))
	}
	t := c.pool[id]
	*t = task{g: g, state: unsettled, held: t.held[:0], chans: t.chans}
	t.ID = sched.TaskID(id)
	t.Parent = sched.NoTask
	if parent != nil {
		parent.children++
		t.Parent = parent.ID
		t.Child = parent.children
		t.Depth = parent.Depth + 1
		t.Path = sched.Mix(3*parent.Path + sched.Mix(uint64(t.Child))) // not 0 for the root's first child
	} else {
		t.Path = sched.Mix(uint64(id) + 1)
	}
	t.Pending.Kind = sched.Start
	c.progress = c.steps
	c.tasks = append(c.tasks, t)
	c.alive++
	if g != nil {
		setNumber(g, c.base+uint32(id))
	}
	return t
}

// byNumber returns the task of this trial that g.coop means, or nil.
func (c *conductor) byNumber(n uint32) *task {
	if i := n - c.base; n >= c.base && int(i) < len(c.tasks) {
		return c.tasks[i]
	}
	return nil
}

// waitsFor returns the kind of the operation that the task with a number waits for at a
// scheduling point; None if it can go on there.
func (c *conductor) waitsFor(n uint32) uint8 {
	if t := c.byNumber(n); t != nil && t.state == waiting {
		return uint8(t.Pending.Kind)
	}
	return uint8(sched.None)
}

// byID returns a task of this trial; nil for NoTask.
func (c *conductor) byID(id sched.TaskID) *task {
	if id == sched.NoTask {
		return nil
	}
	return c.tasks[id]
}

// admit takes note of a goroutine that the runtime has made runnable.
func (c *conductor) admit(g unsafe.Pointer, n uint32) {
	t := c.byNumber(n)
	switch {
	case t != nil:
		t.g = g // a coroutine may have parked in its caller's place
		t.state = unsettled
		t.yielded = false
		t.before = *t.last()
		t.Pending = sched.Op{Kind: sched.Resume}
		t.Waker = c.waker(t)
		c.publish(sched.Woken, t, nil)
	case n == numberNew:
		gopc, startpc, _, _ := info(g)
		if c.uncontrolled(startpc) {
			release(g)
			return
		}
		t = c.newTask(g, c.cur)
		t.gopc = gopc
		if c.rec != nil {
			t.fn = c.sites.frame(startpc + 1)
		}
		if c.audit != nil {
			t.Spawned = c.sites.goSite(gopc)
		}
		c.publish(sched.Spawned, t, nil)
	default:
		t = c.newTask(g, nil)
		t.foreign = true
		c.foreign++
		c.publish(sched.Spawned, t, nil)
	}
	c.unsettled = append(c.unsettled, t)
}

// waker returns the task that has made t runnable. NoTask stands for the clock, for the world
// outside, and for a bubble of testing/synctest that has come to rest: that takes all its
// goroutines, whichever was the last to block.
func (c *conductor) waker(t *task) sched.TaskID {
	switch {
	case c.rests != rests:
		c.rests = rests
		c.publish(sched.Ticked, t, nil)
	case c.cur != nil:
		return c.cur.ID
	}
	return sched.NoTask
}

// uncontrolled names the goroutines of the runtime and of the standard library that serve
// the whole process and wait outside the scheduler's reach: for signals, for a trace or a
// profile.
func (c *conductor) uncontrolled(startpc uintptr) bool {
	u, known := c.starts[startpc]
	if !known {
		name := c.sites.frame(startpc + 1)
		signals := name == "os/signal.loop"
		c.signals = c.signals || signals
		u = signals || observer(name) || strings.HasPrefix(name, "runtime.")
		c.observed = c.observed || observer(name)
		c.starts[startpc] = u
	}
	return u
}

// observer reports whether a function is of what observes the program: a trace or a profile.
func observer(name string) bool {
	return strings.HasPrefix(name, "runtime/trace.") || strings.HasPrefix(name, "runtime/pprof.")
}

// tracer reports whether a function is one in which the runtime waits for its own goroutines
// that trace. Nobody counts these among the goroutines.
func tracer(name string) bool {
	return name == "runtime.StopTrace" || name == "runtime.traceAdvance"
}

// held points to the head of the runtime's queue of held goroutines, 0 if there are none.
var held *uintptr

// takeHeld admits all goroutines that have become runnable.
func (c *conductor) takeHeld() {
	if c.calls != calls || c.steps-c.polled > pollPatience {
		c.poll()
	}
	if *held == 0 {
		return
	}
	for {
		n := drain(c.drainGs[:], c.drainIDs[:])
		for i := 0; i < n; i++ {
			c.admit(c.drainGs[i], c.drainIDs[i])
		}
		if n < len(c.drainGs) {
			return
		}
	}
}

// poll asks the network poller after a system call, which may have sent what others wait
// for: on the local machine that has arrived when loopback has settled, so that the answer
// depends on the schedule alone. Busy tasks do not keep out what comes from elsewhere.
func (c *conductor) poll() {
	sent := c.calls != calls
	c.calls, c.polled = calls, c.steps
	if netWaiters() > 0 {
		if sent {
			c.loopback.settle()
		}
		pollNet()
	}
}

// enable puts t into the enabled set, which is in order of ID, unless it is to rest.
func (c *conductor) enable(t *task) {
	t.state = ready
	if t.yielded || !t.listed {
		c.list(t)
	}
}

func (c *conductor) list(t *task) {
	if t.yielded {
		c.rest(t)
		return
	}
	t.listed = true
	i := c.rank(t.ID)
	c.enabled = append(c.enabled, nil)
	copy(c.enabled[i+1:], c.enabled[i:])
	c.enabled[i] = &t.Task
	if c.watcher != nil {
		c.watcher.Enabled(&t.Task)
	}
}

// disable takes t out of the enabled set, if it is there.
func (c *conductor) disable(t *task) {
	if !t.listed {
		return
	}
	t.listed = false
	if c.watcher != nil {
		c.watcher.Disabled(&t.Task)
	}
	i := c.rank(t.ID)
	c.enabled = append(c.enabled[:i], c.enabled[i+1:]...)
}

// rank returns the number of enabled tasks with a smaller ID.
func (c *conductor) rank(id sched.TaskID) int {
	lo, hi := 0, len(c.enabled)
	for lo < hi {
		if mid := int(uint(lo+hi) >> 1); c.enabled[mid].ID < id {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo
}

// wait makes t, which is at a scheduling point, wait until its operation is enabled.
func (c *conductor) wait(t *task) {
	c.disable(t)
	t.state = waiting
	c.waiters = append(c.waiters, t)
}

// exit ends a task.
func (c *conductor) exit(t *task) {
	c.disable(t)
	t.state = exited
	c.progress = c.steps
	c.alive--
	c.publish(sched.Exited, t, nil)
}
