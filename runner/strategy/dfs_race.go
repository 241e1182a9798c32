package strategy

import "github.com/coopvet/coop/runner/sched"

// reversal is the execution that a race asks for: from the state before one of its
// events, others that do not depend on what is to be delayed, then the second event of
// the race.
type reversal struct {
	depth    int     // of the state
	events   []int32 // before last, in order of execution
	in       []bool  // by event
	late     []int32 // events to be delayed
	holders  []int32 // events that could be delayed, too
	others   []int32 // scratch
	task     int32   // of the last event
	last     int32   // its event, -1 if it has not been executed
	kind     sched.Kind
	past     []int32 // clock of its task before it
	accesses []access
	main     int    // how many of accesses are the operation's own
	gone     []bool // scratch: events that have been matched with a node
}

// reverse handles all races of the execution that has ended.
//
// Events e and e' are in a race if they belong to different tasks, conflict, and no chain
// of events lies between them. It can be reversed if e' could have been executed before
// e: if after all events behind e that do not depend on e, the operation of e' is
// enabled. A lock that is taken conflicts with the release before it; what can be
// delayed in that case is not the release but the acquisition that it belongs to. So
// what is to be delayed is a set of events, which begins with e and takes in whoever
// holds the lock, until e' is enabled or a holder must have come before e' because the
// task of e' knows of it.
//
// Operations that are not executed because they are never enabled, as in a deadlock, or
// because a failure ended the execution, are in races, too.
func (d *dfs) reverse() {
	tr, r := &d.trace, &d.reversal
	for n := range tr.events {
		e := &tr.events[n]
		r.task, r.last, r.kind, r.past, r.accesses, r.main = e.task, int32(n), e.kind, e.past, tr.footprint(int32(n)), int(e.main-e.first)
		for _, x := range e.races {
			d.reverseRace(x)
		}
	}
	for i := range tr.tasks {
		if t := &tr.tasks[i]; t.known && t.pending {
			d.reversePending(int32(i), t)
		}
	}
}

// reversePending handles the races of an operation that has not been executed.
func (d *dfs) reversePending(task int32, t *traceTask) {
	tr, r := &d.trace, &d.reversal
	n := len(tr.accesses)
	tr.open = true // so that touch does not link what is not executed
	tr.operate(t)
	tr.open = false
	tr.conflict = tr.conflict[:0]
	end := len(tr.accesses)
	for i := n; i < end; i++ {
		tr.conflicts(&tr.accesses[i], int32(len(tr.events)))
	}
	r.task, r.last, r.kind, r.past, r.accesses, r.main = task, -1, t.kind, t.clock, tr.accesses[n:end:end], end-n
	clock := tr.arena.make(len(tr.tasks))
	clear(clock[copy(clock, t.clock):])
	for _, x := range tr.races(t.clock, clock) {
		d.reverseRace(x)
	}
}

// reverseRace handles the race between event x and the one in d.reversal. If x alone does
// not enable the latter, each of the events that hold it up is tried; if that takes more
// than one, the latest of them is delayed in any case.
func (d *dfs) reverseRace(x int32) {
	r := &d.reversal
	r.late = append(r.late[:0], x)
	r.depth = int(x)
	if d.possible() {
		d.answer()
		return
	}
	for {
		d.holders()
		found := false
		late, depth := len(r.late), r.depth
		for _, h := range r.holders {
			r.late = append(r.late[:late], h)
			r.depth = min(depth, int(h))
			if d.possible() {
				found = true
				d.answer()
			}
		}
		if found || len(r.holders) == 0 {
			return
		}
		r.late = append(r.late[:late], r.holders[0])
		r.depth = min(depth, int(r.holders[0]))
		d.possible() // for the next holders
	}
}

// answer sees to it that the reversal is explored.
func (d *dfs) answer() {
	nd := &d.stack[d.reversal.depth]
	for i := range nd.sleep {
		if d.covers(&nd.sleep[i]) {
			return
		}
	}
	d.insert(nd)
}

// possible collects the events that come before the last one and reports whether that
// is enabled then.
func (d *dfs) possible() bool {
	tr, r := &d.trace, &d.reversal
	r.events = r.events[:0]
	r.in = resize(r.in, len(tr.events))
	for n := r.depth + 1; n < len(tr.events); n++ {
		if n != int(r.last) && !d.isLate(int32(n)) {
			r.events = append(r.events, int32(n))
			r.in[n] = true
		}
	}
	if o := d.lockOf(); o >= 0 {
		return d.balance(o, -1) == 0
	}
	return true
}

func resize(s []bool, n int) []bool {
	if cap(s) < n {
		return make([]bool, n, 2*n)
	}
	s = s[:n]
	clear(s)
	return s
}

// isLate reports whether event n depends on what is to be delayed.
func (d *dfs) isLate(n int32) bool {
	for _, x := range d.reversal.late {
		if d.trace.before(x, n) {
			return true
		}
	}
	return false
}

// lockOf returns the object that the operation of the last event may have to wait for,
// -1 if there is none.
func (d *dfs) lockOf() int32 {
	switch r := &d.reversal; r.kind {
	case sched.Lock, sched.RLock, sched.WLock, sched.WaitGroupWait:
		if r.accesses[0].obj == world && d.trace.world {
			return r.accesses[1].obj
		}
		return r.accesses[0].obj
	}
	return -1
}

// balance adds up what the events of the reversal, or those of one task among them, and
// all before them have changed in the number of holders of lock o, or in the counter of
// the WaitGroup.
func (d *dfs) balance(o, task int32) int32 {
	tr, r := &d.trace, &d.reversal
	sum := int32(0)
	lo, _ := tr.objects[o].words()
	for i := tr.cells.find(lo).access; i >= 0; i = tr.accesses[i].prev {
		a := &tr.accesses[i]
		switch {
		case a.obj != o:
		case a.event < 0:
			if task < 0 && int(-2-a.event) < r.depth {
				sum += a.delta
			}
		case (int(a.event) < r.depth || r.in[a.event]) && (task < 0 || tr.events[a.event].task == task):
			sum += a.delta
		}
	}
	return sum
}

// holders collects the events, latest first, in which the lock that the last event waits
// for has been taken, or something has been added to its WaitGroup, and that can be
// delayed. Those of tasks that have released it since come last.
func (d *dfs) holders() {
	tr, r := &d.trace, &d.reversal
	r.holders, r.others = r.holders[:0], r.others[:0]
	o := d.lockOf()
	lo, _ := tr.objects[o].words()
	for i := tr.cells.find(lo).access; i >= 0; i = tr.accesses[i].prev {
		a := &tr.accesses[i]
		if a.obj != o || a.delta <= 0 || a.event < 0 || int(a.event) >= r.depth && !r.in[a.event] {
			continue
		}
		e := &tr.events[a.event]
		if at(r.past, e.task) >= e.index {
			continue
		}
		if d.balance(o, e.task) > 0 {
			r.holders = append(r.holders, a.event)
		} else {
			r.others = append(r.others, a.event)
		}
	}
	r.holders = append(r.holders, r.others...)
}

// first returns the first event of a task in the reversal that is still to be matched,
// len(r.events) for the last event, -1 if there is none.
func (r *reversal) first(tr *trace, task int32) int {
	for i, n := range r.events {
		if tr.events[n].task == task && !r.gone[i] {
			return i
		}
	}
	if r.task == task && !r.gone[len(r.events)] {
		return len(r.events)
	}
	return -1
}

// initial reports whether the i-th event of the reversal depends on none before it that
// is still to be matched.
func (d *dfs) initial(i int) bool {
	tr, r := &d.trace, &d.reversal
	for k, n := range r.events[:min(i, len(r.events))] {
		if r.gone[k] {
			continue
		}
		if i < len(r.events) {
			if tr.before(n, r.events[i]) {
				return false
			}
		} else if e := &tr.events[n]; at(r.past, e.task) >= e.index || tr.clash(tr.footprint(n), r.accesses) {
			return false
		}
	}
	return true
}

// clash reports whether two footprints of the current execution conflict.
func (tr *trace) clash(as, bs []access) bool {
	for i := range as {
		for k := range bs {
			if sched.Conflict(as[i].kind, bs[k].kind) && tr.touches(as[i].obj, bs[k].obj) {
				return true
			}
		}
	}
	return false
}

// independent reports whether a footprint of an earlier execution conflicts with no
// event of the reversal that is still to be matched.
func (d *dfs) independent(foot []footing, trial, objects int32) bool {
	tr, r := &d.trace, &d.reversal
	for i, n := range r.events {
		if !r.gone[i] && d.collides(foot, trial, objects, tr.footprint(n)) {
			return false
		}
	}
	return r.gone[len(r.events)] || !d.collides(foot, trial, objects, r.accesses)
}

// covers reports whether the reversal is explored where q's step has been: q's step is a
// weak initial of it.
func (d *dfs) covers(q *sleeper) bool {
	r := &d.reversal
	r.gone = resize(r.gone, len(r.events)+1)
	i := r.first(&d.trace, q.task)
	if i >= 0 && i < len(r.events) {
		return d.initial(i)
	}
	if i >= 0 { // what it does there is known exactly, unlike what it would do here
		r.gone[i] = true
	}
	d.names = d.names[:0]
	return d.independent(q.foot, 0, q.objects)
}

// insert enters the reversal into the wakeup tree of its state, unless what is there
// already leads to an equivalent execution (Abdulla et al., algorithm 2).
//
// The event that ends a branch may turn out to be a different one, now that it comes
// before what it conflicted with: its footprint there is a guess. A reversal that is left
// out because of a guess is kept with it until the truth is known, see settle.
func (d *dfs) insert(nd *node) {
	r := &d.reversal
	r.gone = resize(r.gone, len(r.events)+1)
	d.names = d.names[:0]
	left := len(r.events) + 1
	parent := int32(0)
	for w := nd.tree; w != 0; w = d.wakeups.nodes[parent].child {
		m := d.match(w, nd.objects)
		if w = m.node; w == 0 {
			break
		}
		if m.event >= 0 {
			left--
		}
		if left == 0 {
			return
		}
		if d.wakeups.nodes[w].child == 0 {
			if m.guess {
				if m.event >= 0 {
					r.gone[m.event] = false
				}
				branch := d.branch(nd.objects)
				d.wakeups.append(&d.wakeups.nodes[w].doubtful, branch)
			}
			return
		}
		parent = w
	}
	branch := d.branch(nd.objects)
	if parent == 0 {
		d.wakeups.append(&nd.tree, branch)
	} else {
		d.wakeups.append(&d.wakeups.nodes[parent].child, branch)
	}
}

// matching is a node of a wakeup tree that is a weak initial of the reversal.
type matching struct {
	node  int32 // 0: there is none
	event int   // which event of the reversal it is, -1 if none
	guess bool  // judged by the node's footprint
}

// match finds the first of the siblings from w on that is a weak initial of the
// reversal, and removes it from there.
func (d *dfs) match(w, objects int32) matching {
	tr, r := &d.trace, &d.reversal
	for ; w != 0; w = d.wakeups.nodes[w].next {
		n := &d.wakeups.nodes[w]
		i := r.first(tr, n.task)
		if i >= 0 && i < len(r.events) {
			if d.sameChoice(i, n.choice) && d.initial(i) {
				d.identify(n.foot, n.trial, objects, tr.footprint(r.events[i]))
				r.gone[i] = true
				return matching{w, i, false}
			}
			continue
		}
		d.identify(n.foot[:n.main], n.trial, objects, d.coming(n.task))
		if i >= 0 {
			r.gone[i] = true
		}
		if d.independent(n.foot, n.trial, objects) {
			return matching{w, i, true}
		}
		if i >= 0 {
			r.gone[i] = false
		}
	}
	return matching{}
}

// coming returns the footprint of a task's operation, without what else happens in the
// event, that follows those before the reversal and those of it that have been matched.
func (d *dfs) coming(task int32) []access {
	tr, r := &d.trace, &d.reversal
	for n := r.depth; n < len(tr.events); n++ {
		if tr.events[n].task == task && !d.matched(int32(n)) {
			return tr.accesses[tr.events[n].first:tr.events[n].main]
		}
	}
	return nil
}

// matched reports whether event n is one of the reversal that have been matched.
func (d *dfs) matched(n int32) bool {
	r := &d.reversal
	if int(n) >= len(r.in) || !r.in[n] {
		return false
	}
	for i, e := range r.events {
		if e == n {
			return r.gone[i]
		}
	}
	return false
}

func (d *dfs) sameChoice(i int, choice int16) bool {
	return choice < 0 || d.trace.events[d.reversal.events[i]].choice == choice
}

// branch makes a tree without forks of what is left of the reversal.
func (d *dfs) branch(objects int32) (top int32) {
	tr, r := &d.trace, &d.reversal
	if n := len(r.events); !r.gone[n] {
		top = d.above(top, r.task, -1, objects, r.accesses, r.main)
	}
	for i := len(r.events) - 1; i >= 0; i-- {
		if e := &tr.events[r.events[i]]; !r.gone[i] {
			top = d.above(top, e.task, e.choice, objects, tr.footprint(r.events[i]), int(e.main-e.first))
		}
	}
	return top
}

func (d *dfs) above(child, task int32, choice int16, objects int32, accesses []access, main int) int32 {
	w := d.wakeups.new(task, choice, d.trials, objects)
	n := &d.wakeups.nodes[w]
	n.child = child
	n.foot = footings(n.foot, accesses)
	n.main = main
	return w
}

// settle compares the event that has just been executed from state nd with what its
// branch of the wakeup tree had guessed. If that was wrong, what has been left out
// because of it is explored, too.
func (d *dfs) settle(nd *node, accesses []access) {
	if nd.guess == 0 {
		return
	}
	w := &d.wakeups.nodes[nd.guess]
	if w.doubtful != 0 && !d.wakeups.foreseen(nd.guess, accesses) {
		d.wakeups.append(&nd.tree, w.doubtful)
		w.doubtful = 0
	}
	d.wakeups.dropAll(nd.guess)
	nd.guess = 0
}
