package strategy

import "github.com/coopvet/coop/runner/sched"

// footing is one object in the footprint of an event of an earlier execution, whose
// prefix is that of the current one up to some state. Objects that had appeared before
// that state have the same numbers in both; numbers of others are to be translated.
type footing struct {
	obj  int32
	kind sched.Kind
}

// sleeper is a task whose next step has been explored, or is explored elsewhere.
type sleeper struct {
	task    int32
	objects int32 // numbers below this one were known when it went to sleep
	foot    []footing
}

// rename translates numbers of objects from earlier executions: of the one with number
// trial, old to new.
type rename struct{ trial, old, new int32 }

// unknown is the translation of an object that is not known in the current execution.
const unknown = -1

// collides reports whether a footprint of an earlier execution, for which numbers below
// objects are known, conflicts with accesses of the current one. What is not known
// conflicts with all that is new.
func (d *dfs) collides(foot []footing, trial, objects int32, accesses []access) bool {
	for _, f := range foot {
		obj := f.obj
		if obj >= objects {
			obj = d.translate(trial, obj)
		}
		for i := range accesses {
			a := &accesses[i]
			if !sched.Conflict(f.kind, a.kind) {
				continue
			}
			if obj == unknown && a.obj >= objects || obj != unknown && d.trace.touches(obj, a.obj) {
				return true
			}
		}
	}
	return false
}

func (d *dfs) translate(trial, old int32) int32 {
	for i := range d.names {
		if r := &d.names[i]; r.trial == trial && r.old == old {
			return r.new
		}
	}
	return unknown
}

// identify notes that a footprint of an earlier execution begins with the same objects as
// one of the current execution.
func (d *dfs) identify(foot []footing, trial, objects int32, accesses []access) {
	for i := range min(len(foot), len(accesses)) {
		f, a := foot[i], &accesses[i]
		if f.kind != a.kind {
			return
		}
		if f.obj >= objects && d.translate(trial, f.obj) == unknown {
			d.names = append(d.names, rename{trial, f.obj, a.obj})
		}
	}
}

// footings appends the footprint of accesses to foot, in a form that outlives the
// execution.
func footings(foot []footing, accesses []access) []footing {
	for i := range accesses {
		foot = append(foot, footing{accesses[i].obj, accesses[i].kind})
	}
	return foot
}

// wakeups is a pool of wakeup trees. A tree is a list of siblings, in the order in which
// they are to be explored, each with its subtree; 0 is the empty one.
type wakeups struct {
	nodes []wakeup
	free  int32
	used  int
}

type wakeup struct {
	task        int32
	choice      int16
	trial       int32 // number of the execution that foot is from
	objects     int32 // numbers below this one are the same in the tree's executions
	foot        []footing
	main        int // how many of foot are the operation's own
	child, next int32
	doubtful    int32 // branches left out because of foot, which is a guess
}

func (w *wakeups) new(task int32, choice int16, trial, objects int32) int32 {
	w.used++
	i := w.free
	if i == 0 {
		if len(w.nodes) == 0 {
			w.nodes = append(w.nodes, wakeup{})
		}
		i = int32(len(w.nodes))
		w.nodes = append(w.nodes, wakeup{})
	} else {
		w.free = w.nodes[i].next
	}
	n := &w.nodes[i]
	*n = wakeup{task: task, choice: choice, trial: trial, objects: objects, foot: n.foot[:0]}
	return i
}

// fires reports whether the step is that of a timer.
func (n *wakeup) fires() bool {
	for _, f := range n.foot {
		if f.kind == sched.TimerFire {
			return true
		}
	}
	return false
}

// drop gives back one node.
func (w *wakeups) drop(i int32) {
	w.used--
	w.nodes[i].next = w.free
	w.free = i
}

// dropAll gives back a tree.
func (w *wakeups) dropAll(i int32) {
	for i != 0 {
		w.dropAll(w.nodes[i].child)
		w.dropAll(w.nodes[i].doubtful)
		next := w.nodes[i].next
		w.drop(i)
		i = next
	}
}

// append puts node i at the end of a list of siblings.
func (w *wakeups) append(list *int32, i int32) {
	for *list != 0 {
		list = &w.nodes[*list].next
	}
	*list = i
}

// remove takes node i out of a list of siblings.
func (w *wakeups) remove(list *int32, i int32) {
	for *list != i {
		list = &w.nodes[*list].next
	}
	*list = w.nodes[i].next
	w.nodes[i].next = 0
}

// foreseen reports whether the footprint of an event is what node i had guessed.
func (w *wakeups) foreseen(i int32, accesses []access) bool {
	n := &w.nodes[i]
	if len(n.foot) != len(accesses) {
		return false
	}
	for k, f := range n.foot {
		a := &accesses[k]
		if f.kind != a.kind || k >= n.main && (f.obj != a.obj || f.obj >= n.objects) {
			return false
		}
	}
	return true
}
