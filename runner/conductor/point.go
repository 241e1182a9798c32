package conductor

import (
	"unsafe"

	"github.com/coopvet/coop/runner/sched"
)

// onOperation is the runtime's hook: the token holder is about to perform an operation
// of the runtime or of package sync.
func onOperation(kind uint8, obj, arg unsafe.Pointer, n int, fp unsafe.Pointer) {
	c := &the
	t := c.cur
	if t == nil || inside || t.state != running {
		return
	}
	inside = true
	c.operation(t, sched.Kind(kind), uintptr(obj), arg, n, fp)
	inside = false
}

func (c *conductor) operation(t *task, k sched.Kind, obj uintptr, arg unsafe.Pointer, n int, fp unsafe.Pointer) {
	if k == sched.Unlock || k == sched.RUnlock || k == sched.WUnlock || k == sched.WaitGroupAdd && n <= 0 {
		c.change(c.expecting(obj), obj)
		if k == sched.Unlock || k == sched.WUnlock {
			c.gives(t, obj)
		}
		if c.listeners[sched.Released] != nil {
			c.released(t, k, obj, fp)
		}
		if c.listeners[sched.Effect] != nil {
			c.effect(t, k, obj, n)
		}
		return
	}
	if k == sched.OnceDo { // if it waits, the lock inside is the scheduling point
		if c.audit != nil {
			c.audit.Once(t.ID, obj)
		}
		return
	}
	at, pc, place := c.sites.caller(fp)
	if place == placeSilent {
		if at = c.opening(t, k, at, pc); at.frame == nil {
			t.silent, t.selects = true, false
			if changesEnabled(k) {
				c.change(c.expecting(obj), obj)
			}
			if c.listeners[sched.Effect] != nil {
				c.effect(t, k, obj, n)
			}
			return
		}
	} else {
		t.library = activation{}
	}
	t.silent = place == placeSilent
	op := &t.Pending // set in place: copying an Op would be a good part of a step
	op.Kind, op.Delta, op.Site, op.Object, op.Size = k, 0, at.site, obj, 0
	if op.More != nil {
		op.More = nil
	}
	switch k {
	case sched.Select, sched.SelectDefault:
		op.More = c.channels(t, arg, n)
	case sched.WaitGroupAdd:
		op.Delta = int16(n)
	case sched.WaitGroupWait:
		t.bubbled = n == 1
	}
	c.reach(t)
	t.selects = true
}

// opening decides about an operation of the standard library's own code, at pc. The
// first one of a call that the program makes is a scheduling point of the program,
// there; the others are none, nor are those of the library's own goroutines.
func (c *conductor) opening(t *task, k sched.Kind, at call, pc uintptr) call {
	switch k {
	case sched.Lock, sched.WLock, sched.Send, sched.Recv, sched.Close, sched.Select, sched.SelectDefault, sched.CondSignal, sched.CondBroadcast, sched.CondWait:
	default:
		return call{}
	}
	p := c.sites.program(at)
	if p.frame == nil {
		return call{}
	}
	a := activation{p.site, stackDepth(p.frame)}
	if a == t.library && pc != t.opened {
		return call{}
	}
	t.library, t.opened = a, pc // the same operation again is another call, in a loop
	return p
}

// onAccess is the probes' hook: the caller, perhaps no task, is about to access memory.
// Memory in its own stack nobody else can reach.
func onAccess(kind sched.Kind, site uint32, addr, size uintptr) {
	c := &the
	t := c.cur
	if t == nil || inside || t.state != running {
		return
	}
	g := holder(addr)
	if g == nil {
		return
	}
	inside = true
	t.silent = false
	t.library = activation{}
	t.g = g
	if c.alone(t, kind) {
		inside = false
		return
	}
	op := &t.Pending
	op.Kind, op.Site, op.Object, op.Size = kind, sched.Site(site<<1), addr, size
	if op.More != nil {
		op.More = nil
	}
	c.enable(t)
	c.publish(sched.Announced, t, op)
	if kind.IsMemory() { // not the length of a channel
		c.publish(sched.Accessing, t, op)
	}
	c.dispatch(t)
	inside = false
}

// channels copies the channels of a select.
func (c *conductor) channels(t *task, cases unsafe.Pointer, n int) []uintptr {
	if cap(t.chans) < n {
		t.chans = make([]uintptr, n)
	}
	chans := t.chans[:n]
	return chans[:selectChans(cases, n, chans)]
}

// released tells listeners of an operation that is no scheduling point: no behaviour
// is lost by not switching before it (Stoller, RStest, section 3).
func (c *conductor) released(t *task, k sched.Kind, obj uintptr, fp unsafe.Pointer) {
	at, _, place := c.sites.caller(fp)
	if place == placeSilent {
		return
	}
	c.told = sched.Op{Kind: k, Site: at.site, Object: obj}
	c.tell(sched.Released, t, &c.told)
}

// effect tells listeners of an operation that is no scheduling point, wherever it is.
func (c *conductor) effect(t *task, k sched.Kind, obj uintptr, n int) {
	c.told = sched.Op{Kind: k, Object: obj}
	if k == sched.WaitGroupAdd {
		c.told.Delta = int16(n)
	}
	c.tell(sched.Effect, t, &c.told)
}

// reach is a scheduling point of the token holder t, with its pending operation. It
// returns when a strategy has picked t.
func (c *conductor) reach(t *task) {
	t.g = self() // a coroutine parks in its caller's place
	if !mayWait(t.Pending.Kind) {
		c.enable(t)
	} else {
		t.expected = c.expecting(t.Pending.Object)
		t.expected.n++
		if t.waits() {
			c.wait(t)
		} else {
			c.enable(t)
		}
	}
	c.publish(sched.Announced, t, &t.Pending)
	c.dispatch(t)
}

// waits reports whether t's pending operation is not enabled. The scheduler knows that of
// some operations from the object's state. Channel operations and conditions are always
// enabled; they complete or park. So does WaitGroup.Wait in a bubble of testing/synctest,
// whose clock goes on when all of its goroutines are parked in such operations.
func (t *task) waits() bool {
	switch op := &t.Pending; op.Kind {
	case sched.Lock, sched.RLock, sched.WLock:
		return !syncEnabled(uint8(op.Kind), op.Object)
	case sched.WaitGroupWait:
		return !t.bubbled && !syncEnabled(uint8(op.Kind), op.Object)
	}
	return false
}

// mayWait lists the operations for which waits looks at the object's state.
func mayWait(k sched.Kind) bool {
	return k == sched.Lock || k == sched.RLock || k == sched.WLock || k == sched.WaitGroupWait
}

// expectation counts pending operations whose being enabled depends on an object.
type expectation struct {
	base uint32 // of the trial, otherwise n is 0
	n    int32
}

// expecting returns the count for obj, and for others by chance.
func (c *conductor) expecting(obj uintptr) *expectation {
	e := &c.expected[sched.Mix(uint64(obj))%uint64(len(c.expected))]
	if e.base != c.base {
		*e = expectation{base: c.base}
	}
	return e
}

// changesEnabled lists the operations that can change whether a blocking operation on
// the same object is enabled.
func changesEnabled(k sched.Kind) bool {
	return sched.Lock <= k && k <= sched.WUnlock || k == sched.WaitGroupAdd
}

// dispatch gives the token to whose turn it is: first to tasks whose next operation is
// not known, so that a strategy chooses among complete pending operations; then to the
// strategy's choice. It returns when t has the token again, picked.
func (c *conductor) dispatch(t *task) {
	c.takeHeld()
	if c.steps-c.ticked > clockPatience {
		c.tick()
	}
	if len(c.unsettled) > 0 {
		if n := c.nextUnsettled(); n != nil {
			c.cur = n
			n.state = running
			inside = false
			switchTo(n.g)
			return
		}
	}
	n := c.pick()
	switch n {
	case t:
	case nil, c.clockTask: // the conductor's own affair
		inside = false
		c.cur = nil
		yield()
	default:
		inside = false
		switchTo(n.g)
	}
}

// nextUnsettled removes the oldest unsettled task from the list; nil if there is none.
func (c *conductor) nextUnsettled() *task {
	if c.settled == len(c.unsettled) {
		c.unsettled = c.unsettled[:0]
		c.settled = 0
		return nil
	}
	t := c.unsettled[c.settled]
	c.settled++
	return t
}

// pick lets the strategy choose and makes the chosen task the token holder. It returns
// nil if no task is enabled or the trial is to stop.
func (c *conductor) pick() *task {
	if len(c.changed) > 0 {
		c.reconsider()
	}
	if len(c.resting) > 0 {
		c.rouse()
	}
	if len(c.enabled) == 0 || c.failure != nil || c.halted {
		return nil
	}
	if c.clockRace {
		c.offerClock()
	}
	if c.steps >= c.maxSteps && !c.extend() || c.stuckSpinning() {
		c.budgetSpent = true
		return nil
	}
	id := c.strategy.Pick(c.enabled, c.last)
	t := c.tasks[id]
	c.decide(t)
	if t.Pending.Kind.IsMemory() {
		c.publish(sched.Accessed, t, &t.Pending)
	} else {
		c.lets(t)
	}
	random = c.trialInfo.Seed ^ t.Path + uint64(t.Steps)<<32 // what is random follows from the task and its step, not from the schedule
	t.yielded = t.Pending.Kind == sched.Gosched && c.yields
	t.state = running // it stays listed as enabled: nobody looks before its next point
	t.Steps++
	c.cur = t
	c.last = id
	c.publish(sched.Performed, t, &t.Pending)
	return t
}

// lets takes note of what t's step may change for those who wait.
func (c *conductor) lets(t *task) {
	k, obj := t.Pending.Kind, t.Pending.Object
	e := t.expected
	switch {
	case mayWait(k):
		e.n--
	case changesEnabled(k):
		e = c.expecting(obj)
	}
	if changesEnabled(k) {
		c.change(e, obj) // for the next choice, after the step
		t.takes()
	}
}

// change notes that an operation changes obj, for which e counts.
func (c *conductor) change(e *expectation, obj uintptr) {
	if e.n > 0 {
		if n := len(c.changed); n == 0 || c.changed[n-1] != obj {
			c.changed = append(c.changed, obj)
		}
	}
}

// decide records a decision.
func (c *conductor) decide(t *task) {
	if c.steps < len(c.decisions) {
		c.decisions[c.steps] = t.ID
		c.status[sched.StatusDecisions] = uint64(c.steps + 1)
	} else {
		c.further = append(c.further, t.ID)
	}
	if c.able() == 1 {
		c.solo++
	}
	c.steps++
	c.hash = sched.Mix(c.hash ^ t.Path + uint64(t.Pending.Kind)<<56 ^ c.sites.hash(t.Pending.Site))
	c.note(t, c.steps)
	if c.steps-c.progress >= spinLimit-spinWindow {
		c.look(t.Pending.Object, c.steps, c.alive)
	}
	if c.steps&1023 == 0 {
		c.beat()
	}
}

// reconsider brings the enabled set up to date with the objects that operations have
// changed since the last choice. Each takes one pass: thousands of tasks may wait for
// one lock.
func (c *conductor) reconsider() {
	for _, obj := range c.changed {
		waiters := c.waiters
		c.waiters = waiters[:0]
		for _, t := range waiters {
			if t.Pending.Object == obj && syncEnabled(uint8(t.Pending.Kind), obj) {
				c.enable(t)
			} else {
				c.waiters = append(c.waiters, t)
			}
		}
		enabled := c.enabled
		c.enabled = enabled[:0]
		for _, u := range enabled {
			t := c.tasks[u.ID]
			if t.Pending.Object == obj && t.waits() {
				t.listed = false
				if c.watcher != nil {
					c.watcher.Disabled(u)
				}
				c.wait(t)
			} else {
				c.enabled = append(c.enabled, u)
			}
		}
	}
	c.changed = c.changed[:0]
}
