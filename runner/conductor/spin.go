package conductor

import "github.com/coopvet/coop/runner/sched"

// A livelock is told from a long computation by what tasks have done since one of them has
// made progress: they have yielded or looked at the state, again and again at the same few
// objects. All this is a heuristic, and it must not accuse a test that only takes long.

// spinLimit is the number of steps without progress that make a livelock. It leaves the
// clock the time to go on for more than an hour.
const spinLimit = 400_000

// lockSpinLimit is spinLimit where tasks only take locks: to look, perhaps, but a test may
// as well read a large table under a lock.
const lockSpinLimit = 5 * spinLimit

// pollsPer is the number of steps without progress among which one must be more than a
// plain read of memory. Who only reads computes: a loop that waits for another task also
// yields, takes locks or reads atomically, or else has a data race.
const pollsPer = 100

// spinWindow is the number of steps, the last ones before spinLimit, in which tasks that
// wait look at few objects: at most fewObjects, and at fewEach for each task.
const (
	spinWindow = 100_000
	fewObjects = 64
	fewEach    = 16
)

// spins is what has happened since the last progress.
type spins struct {
	progress int // the step after which no task has made progress
	polls    int // steps since then that look at the state and are more than plain reads,
	locks    int // and those that take a lock
	objects  visited
}

// visited is a set of objects, counted to within the chance that two share a bit.
type visited struct {
	bits [1 << 8]uint64
	n    int
}

func (v *visited) add(obj uintptr) {
	h := sched.Mix(uint64(obj)) >> 50
	word, bit := &v.bits[h>>6], uint64(1)<<(h&63)
	if *word&bit == 0 {
		*word |= bit
		v.n++
	}
}

// note takes note of t's step, the n-th of the trial.
func (s *spins) note(t *task, n int) {
	m := meaning[t.Pending.Kind]
	if t.silent {
		m = works // what the library does under its lock is not seen
	}
	switch m {
	case works:
		s.progressAt(n)
	case locks:
		s.locks++
	case polls:
		s.polls++
	}
}

// look takes note of the object of the n-th step, of which progress lies far back, while
// alive tasks are alive.
func (s *spins) look(obj uintptr, n, alive int) {
	switch since := n - s.progress; {
	case since == spinLimit-spinWindow:
		s.objects = visited{}
	case since <= spinLimit:
		if s.objects.add(obj); s.objects.n > fewObjects+fewEach*alive {
			s.progressAt(n) // it computes
		}
	}
}

func (s *spins) progressAt(n int) { s.progress, s.polls, s.locks = n, 0, 0 }

// spinning reports whether tasks have waited for each other for more than limit steps,
// the last of which is step n; withLocks, those that take locks in order to look count.
func (s *spins) spinning(n, limit int, withLocks bool) bool {
	looks := s.polls
	if withLocks {
		looks += s.locks
	}
	return n-s.progress > limit && looks >= limit/pollsPer
}

// stuckSpinning reports whether that has gone on for so long that it will not end.
func (c *conductor) stuckSpinning() bool {
	return c.spinning(c.steps, spinLimit, false) || c.spinning(c.steps, lockSpinLimit, true)
}

// spentSpinning reports whether a spent budget was spent on that.
func (c *conductor) spentSpinning() bool {
	half := c.maxSteps / 2
	return c.spinning(c.steps, min(spinLimit, half), false) || c.spinning(c.steps, half, true)
}

// What a step may mean: it only computes, it may wait for others, also by taking a lock, or
// it may bring the task nearer to its end. What only looks at the state, or takes a lock
// that it may give back, does not do that: a loop of such operations waits for somebody else.
const (
	polls = iota
	computes
	locks
	works
)

// meaning says what an operation means.
var meaning = [sched.NumKinds]uint8{
	sched.Read: computes, sched.MapRead: computes,
	sched.Lock: locks, sched.RLock: locks, sched.WLock: locks,
	sched.Write: works, sched.MapWrite: works, sched.AtomicStore: works, sched.AtomicRMW: works,
	sched.Send: works, sched.Recv: works, sched.Close: works, sched.Select: works,
	sched.WaitGroupAdd: works, sched.WaitGroupWait: works,
	sched.CondWait: works, sched.CondSignal: works, sched.CondBroadcast: works,
}
