package detect

import (
	"fmt"
	"strings"

	"github.com/coopvet/coop/runner/sched"
)

// Audit compares what the static analysis claims of memory with what happens, when
// every access is a scheduling point: the dynamic side of the classification of RStest
// (Stoller, Testing Concurrent Java Programs using Randomized Scheduling, section 4),
// used as a check of the static one.
//
// An access has a claim, a set of classes: its location is of one of them, as the
// access may be to different locations. The class of a location is then among those that
// the claims of all its accesses have in common; it must be one that the execution does
// not refute:
//
//	unshared   one thread accesses it, another one at most while it is a new object
//	read-only  it is not written once a second thread has accessed it
//	locked     any two accesses in conflict that are ordered by nothing but locks have a
//	           lock in common, held exclusively at writes
//	ordered    accesses in conflict are ordered by happens-before
//	atomic     two accesses in conflict that are ordered by nothing but locks are atomic
//
// If the claims have nothing in common the location must be ordered. The class locked is
// that of Eraser (Savage et al., TOCS 1997), except that the lock need not be held where
// fork, join and channels leave one thread alone with the location, and only there: an
// access is no initialisation because nobody happened to be faster.
//
// A thread is a task, except that a subtest continues the thread of its parent, who
// waits for it; see threads.
//
// A violation is true: the execution has taken place. Not seen are accesses of
// goroutines that are no tasks, of code without probes, and to a task's own stack. The
// trial must not collect garbage, or addresses would stand for different memory.
type Audit struct {
	claims []sched.Claim // by number of access
	watch  map[uint32]bool
	// Stack returns the stack of the running task; Name a task's spawn path.
	Stack func() string
	Name  func(sched.TaskID) string

	order    order
	unlocked order // without locks
	locks    locks
	threads  threads
	shadow   shadow
	pending  []int32 // by task: the stack of its pending access
	stacks   []string

	found    []sched.Violation
	accesses sched.AccessCount
}

// NewAudit returns an Audit of the given claims, which it changes: what is refuted is
// claimed no more. open are accesses to be taken for unprotected, watch those whose
// stacks are wanted, all by number.
func NewAudit(claims []sched.Claim, open, watch []uint32) *Audit {
	a := &Audit{claims: claims, watch: make(map[uint32]bool)}
	a.unlocked.unlocked = true
	for _, n := range open {
		a.open(n)
	}
	for _, n := range watch {
		a.watch[n] = true
	}
	return a
}

// Found returns the violations of the trials since it was called last.
func (a *Audit) Found() []sched.Violation {
	f := a.found
	a.found = nil
	return f
}

// Accesses returns the number of accesses in the trials since it was called last.
func (a *Audit) Accesses() sched.AccessCount {
	n := a.accesses
	a.accesses = sched.AccessCount{}
	return n
}

func (a *Audit) open(n uint32) {
	if int(n) < len(a.claims) {
		a.claims[n] = sched.ClaimAny
	}
}

// claim returns the claim of an access.
func (a *Audit) claim(s sched.Site) sched.Claim {
	if n := int(s >> 1); s&1 == 0 && n < len(a.claims) {
		if c := a.claims[n]; c&sched.ClaimUnprotected == 0 && c != 0 {
			return c
		}
	}
	return sched.ClaimAny
}

// Events implements sched.Listener.
func (a *Audit) Events() sched.EventMask {
	m := sched.Mask(sched.TrialBegin, sched.Spawned, sched.Performed, sched.Effect, sched.Woken)
	if len(a.watch) > 0 {
		m |= sched.Mask(sched.Announced)
	}
	return m
}

// Event implements sched.Listener.
func (a *Audit) Event(kind sched.EventKind, t *sched.Task, op *sched.Op, c sched.Control) {
	switch kind {
	case sched.TrialBegin:
		a.begin()
	case sched.Spawned:
		a.order.spawn(t.ID, t.Parent)
		a.unlocked.spawn(t.ID, t.Parent)
		a.locks.spawn(t.ID)
		a.threads.spawn(t, c)
		for int(t.ID) >= len(a.pending) {
			a.pending = append(a.pending, -1)
		}
	case sched.Woken:
		a.order.wake(t.ID, t.Waker)
		a.unlocked.wake(t.ID, t.Waker)
	case sched.Announced:
		a.pending[t.ID] = -1
		if op.Kind.IsMemory() && a.watch[uint32(op.Site>>1)] {
			a.pending[t.ID] = int32(len(a.stacks))
			a.stacks = append(a.stacks, a.Stack())
		}
	case sched.Effect, sched.Performed:
		if op.Kind == sched.TimerFire { // the clock, which is no goroutine
			return
		}
		if op.Kind.IsMemory() {
			a.access(t, op, c)
		}
		if !op.Kind.IsMemory() || op.Kind.IsAtomic() {
			a.order.perform(t.ID, op)
			a.unlocked.perform(t.ID, op)
			a.locks.perform(t.ID, op)
		}
	}
}

// Once takes note that a task calls Do of a sync.Once; obj is the lock inside. Who calls
// it later, and takes no lock, comes after what the first caller has done, too.
func (a *Audit) Once(id sched.TaskID, obj uintptr) {
	a.order.once(id, obj)
	a.unlocked.once(id, obj)
}

func (a *Audit) begin() {
	a.order.begin()
	a.unlocked.begin()
	a.locks.begin()
	a.threads.begin()
	a.shadow.begin()
	a.pending, a.stacks = a.pending[:0], a.stacks[:0]
}

// access looks at a task's access to memory.
func (a *Audit) access(t *sched.Task, op *sched.Op, c sched.Control) {
	for _, over := range a.threads.returned(t.ID) {
		a.order.after(t.ID, over)
		a.unlocked.after(t.ID, over)
	}
	n := node{
		task: t.ID, thread: a.threads.of(t.ID), time: a.order.time(t.ID), free: a.unlocked.time(t.ID), site: op.Site, kind: op.Kind,
		locks: a.locks.at(t.ID, op.Kind.Writes()), stack: a.pending[t.ID],
	}
	claim := a.claim(op.Site)
	if !op.Kind.IsAtomic() {
		a.accesses.All++
		if claim&sched.ClaimUnprotected != 0 {
			a.accesses.Visible++
		}
	}
	a.shadow.visit(op.Object, op.Size, func(at int32) {
		if l := &a.shadow.locations[at]; !l.closed {
			a.observe(l, n, claim, c)
		}
	})
}

// observe adds an access to what is known of a location and compares that with the
// claims.
func (a *Audit) observe(l *location, n node, claim sched.Claim, c sched.Control) {
	if l.owner < 0 {
		l.owner = n.thread
	}
	if n.thread != l.owner {
		l.shared = true
	}
	if claim&sched.ClaimInitial != 0 {
		claim &^= sched.ClaimInitial
		switch {
		case !l.shared:
			return // of a new object: not one of the accesses that are claimed about
		case claim == 0:
			a.violation(l, n, sched.ClaimInitial, "another goroutine has accessed it before", c)
			return
		}
	}
	if l.user < 0 {
		l.user = n.thread
	}
	l.several = l.several || n.thread != l.user
	l.claim &= claim
	l.written = l.written || l.shared && n.kind.Writes()
	a.compare(l, n)
	if possible, why := l.refute(); !possible {
		claimed := l.claim
		if claimed == 0 {
			claimed = claim
		}
		a.violation(l, n, claimed, why, c)
	}
	a.shadow.record(l, n)
}

// compare looks at an access together with the earlier ones that it conflicts with.
func (a *Audit) compare(l *location, n node) {
	for i := l.last; i >= 0; i = a.shadow.nodes[i].next {
		m := &a.shadow.nodes[i]
		if m.task == n.task || !conflict(m.kind, n.kind) {
			continue
		}
		l.raced = l.raced || !a.order.before(m.task, m.time, n.task)
		if !a.unlocked.before(m.task, m.free, n.task) {
			l.plain = true
			l.unlocked = l.unlocked || a.locks.sets.meet(m.locks, n.locks) == noLocks
		}
	}
}

func conflict(a, b sched.Kind) bool {
	return (a.Writes() || b.Writes()) && !(a.IsAtomic() && b.IsAtomic())
}

// refute reports whether one of the classes that the claims have in common is possible,
// otherwise why none is.
func (l *location) refute() (possible bool, why string) {
	c := l.claim
	if c&sched.ClaimUnprotected != 0 {
		return true, ""
	}
	var reasons []string
	for _, rule := range []struct {
		class   sched.Claim
		refuted bool
		why     string
	}{
		{sched.ClaimUnshared, l.several, "two goroutines access it"},
		{sched.ClaimReadOnly, l.shared && l.written, "it is written after a second goroutine has accessed it"},
		{sched.ClaimLocked, l.unlocked, "two accesses, one of them a write, have no lock in common and no other order"},
		{sched.ClaimAtomic, l.plain, "a plain access and another one have no order"},
		{sched.ClaimOrdered, l.raced, "two accesses, one of them a write, are in no order"},
	} {
		if c&rule.class == 0 && !(c == 0 && rule.class == sched.ClaimOrdered) {
			continue
		}
		if !rule.refuted {
			return true, ""
		}
		reasons = append(reasons, rule.why)
	}
	return false, strings.Join(reasons, "; ")
}

// violation notes that the claims of a location are refuted by an access. They are
// claimed no more.
func (a *Audit) violation(l *location, n node, claimed sched.Claim, why string, c sched.Control) {
	l.closed = true
	v := sched.Violation{Claim: claimed.String(), Reason: why, Second: a.describe(n, c), Opened: []uint32{uint32(n.site >> 1)}}
	if other := a.other(l, n); other != nil {
		v.First = a.describe(*other, c)
	}
	for i := l.last; i >= 0; i = a.shadow.nodes[i].next {
		v.Opened = append(v.Opened, uint32(a.shadow.nodes[i].site>>1))
	}
	for _, site := range v.Opened {
		a.open(site)
	}
	a.found = append(a.found, v)
}

// other returns the access of another thread that an access is best shown with: one
// in conflict and unordered, else in conflict, else any; nil if there is none.
func (a *Audit) other(l *location, n node) *node {
	var best *node
	score := 0
	for i := l.last; i >= 0; i = a.shadow.nodes[i].next {
		m := &a.shadow.nodes[i]
		if m.task == n.task {
			continue
		}
		s := 1
		if m.thread != n.thread {
			s++
		}
		if conflict(m.kind, n.kind) {
			s += 2
		}
		if !a.order.before(m.task, m.time, n.task) {
			s += 4
		}
		if s > score {
			best, score = m, s
		}
	}
	return best
}

func (a *Audit) describe(n node, c sched.Control) sched.AuditAccess {
	out := sched.AuditAccess{
		Task: n.task, Access: uint32(n.site >> 1), Op: n.kind.String(), Claim: a.claim(n.site).String(),
	}
	if a.Name != nil {
		out.Name = a.Name(n.task)
	} else {
		out.Name = fmt.Sprint(n.task)
	}
	for _, obj := range a.locks.sets.sets[n.locks].locks {
		out.Locks = append(out.Locks, c.Position(a.locks.taken[obj]))
	}
	if n.stack >= 0 && int(n.stack) < len(a.stacks) {
		out.Stack = a.stacks[n.stack]
	}
	return out
}
