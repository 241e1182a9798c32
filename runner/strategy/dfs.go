package strategy

import (
	"slices"

	"github.com/coopvet/coop/runner/sched"
)

// dfs explores all executions of a test that differ in the order of dependent events,
// one of each: optimal dynamic partial order reduction with wakeup trees (P. Abdulla,
// S. Aronis, B. Jonsson, K. Sagonas, Source Sets: A Foundation for Optimal Dynamic
// Partial Order Reduction, J. ACM 64(4), 2017, algorithm 2).
//
// The search is depth first and stateless. A state is the sequence of steps that leads
// to it. Each trial repeats the steps up to the deepest state at which something is left
// to explore, and goes on from there to the end of the execution. Then each race of the
// execution (see reverse) is answered: in the state before its first event there must be
// a way to reverse it, explored (the state's sleep set covers it) or still to be explored
// (its wakeup tree leads there).
//
// Departures from the paper:
//
//   - Locks, which the paper treats in its section 10 with a relation of its own, are
//     operations that can be disabled: see reverse. Executions that end with operations
//     that are not enabled (deadlocks) are answered for those, too.
//   - Which of several ready cases a select takes is enumerated: the step is explored
//     once for each of them before the task goes to sleep.
//   - What depends on what is observed, not predicted: the footprint of an event is what
//     happened in it, see trace. A step of an earlier execution is compared with those of
//     the current one by objects that both have seen in their common prefix; where an
//     object is new, a sleeping step is taken for dependent. That is safe, and can cost
//     executions that are redundant: those in which all that is enabled is asleep. They
//     are counted, and with programs whose shared objects are known to some task's
//     pending operation when it is started, as in all tests, there are none.
//   - Addresses and TaskIDs change from trial to trial: objects are numbered in the order of
//     appearance, tasks by their spawn paths.
//
// Fairness: where nothing prescribes the next step, the last task goes on until patience
// is spent, and then the one that has waited longest. A program with a loop that waits
// for another task has a class for every number of turns, so its search does not end.
//
// The search is complete for what the conductor sees: the order of visible operations
// and choices of select statements. Selects inside the standard library are those of the
// seed. So are random numbers, the order of maps, and that of timers of a bubble which are due
// at the same time, for which the conductor has the search begun again with other seeds.
// What uninstrumented code does with atomic operations is not seen.
// Where timers are choices (-clock=race), a timer's firing depends on everything, and a
// reversal that fires one which has not been set yet is given up, with a doubt.
type dfs struct {
	paths map[uint64]int32 // index of a task by its spawn path
	stack []node           // states of the current execution
	depth int              // stack[:depth] are to be repeated

	trace    trace
	wakeups  wakeups
	reversal reversal
	names    []rename
	trials   int32 // that have begun
	fair     patience
	over     bool // the rest of the trial does not matter
	restart  bool // the search has to begin anew
	search   sched.Search
}

// node is a state and the step that is being explored from it.
type node struct {
	task    int32
	choice  int16 // of its select, -1 for none
	choices int16 // how many there are
	tried   int16 // how many of them have been explored
	again   bool  // the same step is to be explored with another choice
	kind    sched.Kind
	objects int32 // that had appeared before
	sub     int32 // what is to be explored after it
	guess   int32 // the node of the wakeup tree that it comes from, until it has been executed

	sleep []sleeper // tasks whose steps have been explored, here or before
	foots []footing // backing store of those explored here
	mark  int       // where the one under way begins
	tree  int32     // steps still to be explored
}

const (
	// maxEvents is the number of steps of an execution that is analysed. It is below
	// that after which the conductor moves the clock although tasks are enabled.
	maxEvents = 10_000
	maxWaking = 2_000_000 // nodes of wakeup trees: bounds memory
)

// Reasons for which the search may have missed executions.
const (
	unknownRepeat = "the test does not repeat: with the same choices it went another way"
	unknownLong   = "schedules were too long to be analysed"
	unknownMemory = "there is too much to explore to keep in memory"
	unknownTimers = "not every moment at which a timer may fire was explored"
	unknownBubble = "a bubble's clock moved while goroutines outside of it could go on"
	unknownFailed = "what comes after a failure was not explored"
)

func newDFS() *dfs {
	return &dfs{paths: map[uint64]int32{}, search: sched.Search{Of: "classes"}}
}

// Exhausted implements sched.Searcher.
func (d *dfs) Exhausted() bool { return d.search.Done }

// Again implements sched.Searcher.
func (d *dfs) Again() { d.search.Done = false }

// Search implements sched.Searcher.
func (d *dfs) Search() sched.Search {
	s := d.search
	s.Open = d.open()
	s.Unknown = slices.Clone(s.Unknown)
	return s
}

// open counts the siblings in the wakeup trees of the states.
func (d *dfs) open() (n int) {
	for i := range d.stack {
		for w := d.stack[i].tree; w != 0; w = d.wakeups.nodes[w].next {
			n++
		}
		n += int(max(d.stack[i].choices-d.stack[i].tried, 1)) - 1
	}
	return n
}

// Begin implements sched.Strategy.
func (d *dfs) Begin(sched.TrialInfo) {
	d.trace.reset()
	d.fair = patience{}
	d.over = d.search.Done
	d.trials++
}

// Events implements sched.Listener.
func (d *dfs) Events() sched.EventMask {
	return sched.Mask(sched.Announced, sched.Effect, sched.Blocked, sched.Woken, sched.Spawned, sched.Ticked)
}

// Event implements sched.Listener.
func (d *dfs) Event(kind sched.EventKind, t *sched.Task, op *sched.Op, _ sched.Control) {
	if d.over {
		return
	}
	switch kind {
	case sched.Spawned:
		d.trace.spawned(t.ID, d.index(t.Path))
	case sched.Announced:
		if op.Kind == sched.TimerFire && !d.trace.world {
			d.trace.world, d.restart, d.over = true, true, true
			return
		}
		d.trace.announced(d.trace.byID[t.ID], op)
	case sched.Effect:
		d.trace.effect(d.trace.byID[t.ID], op)
	case sched.Blocked:
		d.trace.blocked(d.trace.byID[t.ID])
	case sched.Woken:
		d.trace.woken(d.trace.byID[t.ID])
	case sched.Ticked:
		if t != nil && d.trace.waiting() {
			d.doubt(unknownBubble)
		}
		d.trace.ticked()
	}
}

func (d *dfs) index(path uint64) int32 {
	i, ok := d.paths[path]
	if !ok {
		i = int32(len(d.paths))
		d.paths[path] = i
	}
	return i
}

// Pick implements sched.Strategy.
func (d *dfs) Pick(enabled []*sched.Task, last sched.TaskID) sched.TaskID {
	spent := len(enabled) > 1 && d.patient(enabled, last)
	if d.over {
		return d.any(enabled, last, spent)
	}
	tr := &d.trace
	d.close()
	n := len(tr.events)
	var t *sched.Task
	switch {
	case n < len(d.stack):
		t = d.repeat(n, enabled)
	case n >= maxEvents || d.wakeups.used > maxWaking:
		d.doubt(unknownLong)
	default:
		t = d.extend(enabled, last, spent)
	}
	if t == nil {
		d.over = true
		return d.any(enabled, last, spent)
	}
	d.stack[n].kind = t.Pending.Kind
	tr.begin(tr.byID[t.ID])
	return t.ID
}

// close completes the event that is under way.
func (d *dfs) close() {
	d.trace.close()
	if n := len(d.trace.events); n > 0 {
		d.settle(&d.stack[n-1], d.trace.footprint(int32(n-1)))
	}
}

// patient reports whether the last task must give way.
func (d *dfs) patient(enabled []*sched.Task, last sched.TaskID) bool {
	t := find(enabled, last)
	return t != nil && d.fair.spent(t.Pending.Kind)
}

// any returns a task for a step that does not matter.
func (d *dfs) any(enabled []*sched.Task, last sched.TaskID, spent bool) sched.TaskID {
	if !spent {
		return stay(enabled, last).ID
	}
	t := enabled[0]
	for _, u := range enabled {
		if u.Steps < t.Steps {
			t = u
		}
	}
	return t.ID
}

// repeat returns the task that performs the n-th step, as in the trial before or, at the
// last state that is repeated, the next one to be explored. It returns nil if the
// execution is not what it was.
func (d *dfs) repeat(n int, enabled []*sched.Task) *sched.Task {
	nd := &d.stack[n]
	if len(d.trace.objects) != int(nd.objects) {
		d.lost(n)
		return nil
	}
	if n == d.depth && !nd.again {
		t := d.wake(nd, enabled)
		if t == nil {
			d.stack = d.stack[:n]
		}
		return t
	}
	t := d.enabled(enabled, nd.task)
	if t == nil || t.Pending.Kind != nd.kind {
		d.lost(n)
		return nil
	}
	return t
}

// lost gives up what was to be explored from state n on.
func (d *dfs) lost(n int) {
	d.doubt(unknownRepeat)
	for i := n; i < len(d.stack); i++ {
		d.wakeups.dropAll(d.stack[i].tree)
		d.wakeups.dropAll(d.stack[i].sub)
		d.wakeups.dropAll(d.stack[i].guess)
	}
	d.stack = d.stack[:n]
}

// doubt notes a reason for which the search may miss executions.
func (d *dfs) doubt(reason string) {
	if !slices.Contains(d.search.Unknown, reason) {
		d.search.Unknown = append(d.search.Unknown, reason)
	}
}

// enabled returns the enabled task with the given index, or nil.
func (d *dfs) enabled(enabled []*sched.Task, index int32) *sched.Task {
	if int(index) < len(d.trace.tasks) && d.trace.tasks[index].known {
		return find(enabled, d.trace.tasks[index].id)
	}
	return nil
}

// wake begins the next step in the wakeup tree of a state. It returns nil if there is
// none.
func (d *dfs) wake(nd *node, enabled []*sched.Task) *sched.Task {
	for nd.tree != 0 {
		w := nd.tree
		d.wakeups.remove(&nd.tree, w)
		n := &d.wakeups.nodes[w]
		nd.task, nd.choice, nd.choices, nd.tried, nd.sub, nd.guess = n.task, n.choice, 1, 0, n.child, w
		n.child = 0
		t := d.enabled(enabled, nd.task)
		if t != nil && !nd.asleep(nd.task) {
			return t
		}
		switch {
		case t == nil && n.fires():
			d.doubt(unknownTimers) // the timer has not been set yet
		case t == nil:
			d.doubt(unknownRepeat)
		} // else the branch ended in an event that, so early, does less than it did
		d.settle(nd, nil)
		d.wakeups.dropAll(nd.sub)
		nd.sub = 0
	}
	return nil
}

// extend adds the current state to the stack and chooses its first step. It returns nil
// if all steps have been explored elsewhere.
func (d *dfs) extend(enabled []*sched.Task, last sched.TaskID, spent bool) *sched.Task {
	nd := d.push()
	if nd.tree != 0 {
		if t := d.wake(nd, enabled); t != nil {
			return t
		}
	}
	t := d.prefer(nd, enabled, last, spent)
	if t == nil {
		d.stack = d.stack[:len(d.stack)-1]
		return nil
	}
	nd.task, nd.choice, nd.choices, nd.tried, nd.sub = d.trace.byID[t.ID], -1, 1, 0, 0
	return t
}

// push adds the current state to the stack. Asleep are the tasks that slept in the state
// before and whose steps are independent of what has happened since.
func (d *dfs) push() *node {
	n := len(d.stack)
	if n == cap(d.stack) {
		d.stack = append(d.stack, node{})
	}
	d.stack = d.stack[:n+1]
	nd := &d.stack[n]
	*nd = node{sleep: nd.sleep[:0], foots: nd.foots[:0], objects: int32(len(d.trace.objects))}
	if n > 0 {
		before := &d.stack[n-1]
		nd.tree, before.sub = before.sub, 0
		accesses := d.trace.footprint(int32(n - 1))
		d.names = d.names[:0]
		for _, q := range before.sleep {
			if q.task != before.task && !d.collides(q.foot, 0, q.objects, accesses) {
				nd.sleep = append(nd.sleep, q)
			}
		}
	}
	return nd
}

// prefer chooses a step where nothing is prescribed: of the last task if that is awake,
// and otherwise of the first one, or, when patience is spent, of the one that has made
// the fewest.
func (d *dfs) prefer(nd *node, enabled []*sched.Task, last sched.TaskID, spent bool) *sched.Task {
	var best *sched.Task
	for _, t := range enabled {
		switch {
		case nd.asleep(d.trace.byID[t.ID]):
		case t.ID == last && !spent:
			return t
		case best == nil || spent && t.Steps < best.Steps:
			best = t
		}
	}
	return best
}

func (nd *node) asleep(task int32) bool {
	for i := range nd.sleep {
		if nd.sleep[i].task == task {
			return true
		}
	}
	return false
}

// Choose implements sched.Chooser.
func (d *dfs) Choose(n int) int {
	tr := &d.trace
	if d.over || !tr.open {
		return -1
	}
	i := len(tr.events) - 1
	nd := &d.stack[i]
	nd.choices = int16(n)
	if nd.choice < 0 || int(nd.choice) >= n {
		nd.choice = 0
	}
	tr.events[i].choice = nd.choice
	return int(nd.choice)
}

// End implements sched.TrialEnder.
func (d *dfs) End(_ int, failure sched.FailureKind) {
	switch {
	case d.search.Done:
		return
	case d.restart:
		d.lost(0)
		d.restart = false
		d.search = sched.Search{Of: d.search.Of}
		return
	case len(d.trace.events) < len(d.stack): // it has ended early
		d.lost(len(d.trace.events))
		d.search.Redundant++
	case d.over:
		d.search.Redundant++
	default:
		d.close()
		d.search.Explored++
		d.reverse()
		if cutOff(failure) {
			d.doubt(unknownFailed)
		}
	}
	d.backtrack()
}

// backtrack returns to the deepest state at which something is left to explore.
func (d *dfs) backtrack() {
	for n := len(d.stack) - 1; n >= 0; n-- {
		nd := &d.stack[n]
		nd.foots = footings(nd.foots, d.trace.footprint(int32(n)))
		d.depth = n
		if nd.tried++; nd.tried < nd.choices {
			nd.again = true
			d.nextChoice(nd)
			return
		}
		nd.again = false
		nd.sleep = append(nd.sleep, sleeper{nd.task, nd.objects, nd.foots[nd.mark:len(nd.foots):len(nd.foots)]})
		nd.mark = len(nd.foots)
		if nd.tree != 0 {
			return
		}
		d.stack = d.stack[:n]
	}
	d.depth = 0
	d.search.Done = true
}

// nextChoice goes on to the next case of a select. If the wakeup tree has plans for it,
// these are followed.
func (d *dfs) nextChoice(nd *node) {
	nd.choice = (nd.choice + 1) % nd.choices
	for w := nd.tree; w != 0; w = d.wakeups.nodes[w].next {
		if n := &d.wakeups.nodes[w]; n.task == nd.task && n.choice == nd.choice {
			d.wakeups.remove(&nd.tree, w)
			nd.sub = n.child
			d.wakeups.drop(w)
			return
		}
	}
	nd.sub = 0
}
