package sched

// EventKind says what has happened.
type EventKind uint8

const (
	TrialBegin EventKind = iota // before the root task starts
	TrialEnd                    // all tasks have exited, or cannot go on
	Announced                   // the task has reached a scheduling point: Pending is known
	Performed                   // the task has been picked and performs Pending now
	Accessing                   // Announced, of an operation on memory only
	Accessed                    // Performed, of an operation on memory only
	Released                    // an unlock, or a WaitGroup counter going down; no scheduling point
	Blocked                     // the operation that was performed last has parked the task
	Woken                       // the task may go on
	Spawned                     // the task is new; Parent and Spawned are known
	Exited                      // the task is done
	Effect                      // an operation of the running task that is no scheduling point: a release, or one inside the standard library
	Ticked                      // the virtual clock moves: nothing else could go on; or, with a task, a bubble has come to rest and wakes it

	NumEvents
)

// EventMask is a set of EventKinds, 1<<kind each.
type EventMask uint32

// Mask returns the set of the given kinds.
func Mask(kinds ...EventKind) (m EventMask) {
	for _, k := range kinds {
		m |= 1 << k
	}
	return m
}

// Listener is told what happens in a trial, in order, one event at a time. It runs
// where the event happens, so it must not block, start goroutines or, except to report
// a failure, allocate. Several listeners may be attached without knowing of each other.
type Listener interface {
	// Events is asked once, when the listener is attached.
	Events() EventMask
	// Event is called with the task concerned, nil for trial events, and the operation:
	// Pending for Announced, Performed, Accessing and Accessed, the release for Released, the operation for
	// Effect, else nil.
	Event(kind EventKind, t *Task, op *Op, c Control)
}

// Control is what a listener may do.
type Control interface {
	// Fail ends the trial with a failure; the first one counts.
	Fail(*Failure)
	// Position resolves a site.
	Position(Site) Position
}
