package strategy

import (
	"fmt"
	"slices"

	"github.com/coopvet/coop/runner/sched"
)

// bounded explores all schedules with at most max preemptions, depth first: context
// bounding (M. Musuvathi, S. Qadeer, Iterative Context Bounding for Systematic Testing of
// Multithreaded Programs, PLDI 2007). A preemption is a switch away from a task that is
// enabled, except before runtime.Gosched and time.Sleep and when patience is spent.
//
// It makes no use of dependence: reduction is not complete under a bound, because the
// execution that stands for a class may need more preemptions than others of it (K.
// Coons, M. Musuvathi, K. McKinley, Bounded Partial-Order Reduction, OOPSLA 2013). So it
// is complete as it is: with max preemptions, or with all schedules if there is no bound.
type bounded struct {
	max    int // -1: no bound
	stack  []fork
	at     int // forks that the trial has passed
	used   int // preemptions of the trial
	steps  int
	over   bool
	fair   patience
	search sched.Search
}

// fork is a choice: of a task, or of a case of a select.
type fork struct {
	options []sched.TaskID
	next    int
}

func newBounded(max int) *bounded {
	of := "schedules"
	if max >= 0 {
		of = fmt.Sprintf("schedules with at most %d preemptions", max)
	}
	return &bounded{max: max, search: sched.Search{Of: of}}
}

// Exhausted implements sched.Searcher.
func (b *bounded) Exhausted() bool { return b.search.Done }

// Again implements sched.Searcher.
func (b *bounded) Again() { b.search.Done = false }

// Search implements sched.Searcher.
func (b *bounded) Search() sched.Search {
	s := b.search
	s.Unknown = slices.Clone(s.Unknown)
	for i := range b.stack {
		s.Open += len(b.stack[i].options) - b.stack[i].next - 1
	}
	if s.Done {
		s.Open = 0
	}
	return s
}

// Begin implements sched.Strategy.
func (b *bounded) Begin(sched.TrialInfo) {
	b.at, b.used, b.steps, b.fair = 0, 0, 0, patience{}
	b.over = b.search.Done
}

// Pick implements sched.Strategy.
func (b *bounded) Pick(enabled []*sched.Task, last sched.TaskID) sched.TaskID {
	b.steps++
	t := find(enabled, last)
	if len(enabled) == 1 {
		return enabled[0].ID
	}
	spent := t != nil && b.fair.spent(t.Pending.Kind)
	free := t == nil || spent || t.Pending.Kind == sched.Gosched || t.Pending.Kind == sched.Sleep
	if b.steps > maxEvents && !b.over {
		b.doubt(unknownLong)
	}
	if b.over {
		return stay(enabled, last).ID
	}
	f, fresh := b.fork()
	if fresh {
		if t != nil && !spent {
			f.options = append(f.options, last)
		}
		if free || b.max < 0 || b.used < b.max {
			for _, u := range enabled {
				if u.ID != last {
					f.options = append(f.options, u.ID)
				}
			}
		}
		if spent {
			f.options = append(f.options, last)
		}
	}
	id := f.options[f.next]
	if find(enabled, id) == nil {
		b.doubt(unknownRepeat)
		return stay(enabled, last).ID
	}
	if !free && id != last {
		b.used++
	}
	return id
}

// Choose implements sched.Chooser.
func (b *bounded) Choose(n int) int {
	if b.over {
		return -1
	}
	f, fresh := b.fork()
	if fresh {
		for i := range n {
			f.options = append(f.options, sched.TaskID(i))
		}
	}
	return int(f.options[f.next])
}

// fork returns the next fork of the trial; fresh, if it has not been there before.
func (b *bounded) fork() (f *fork, fresh bool) {
	n := b.at
	b.at++
	if n < len(b.stack) {
		return &b.stack[n], false
	}
	if n == cap(b.stack) {
		b.stack = append(b.stack, fork{})
	}
	b.stack = b.stack[:n+1]
	f = &b.stack[n]
	f.options, f.next = f.options[:0], 0
	return f, true
}

// doubt gives the trial up.
func (b *bounded) doubt(reason string) {
	b.over = true
	b.stack = b.stack[:min(b.at, len(b.stack))]
	if !slices.Contains(b.search.Unknown, reason) {
		b.search.Unknown = append(b.search.Unknown, reason)
	}
}

// End implements sched.TrialEnder.
func (b *bounded) End(_ int, failure sched.FailureKind) {
	if b.search.Done {
		return
	}
	if b.over {
		b.search.Redundant++
	} else {
		b.search.Explored++
	}
	if cutOff(failure) && !slices.Contains(b.search.Unknown, unknownFailed) {
		b.search.Unknown = append(b.search.Unknown, unknownFailed)
	}
	b.stack = b.stack[:min(b.at, len(b.stack))]
	for len(b.stack) > 0 {
		f := &b.stack[len(b.stack)-1]
		if f.next++; f.next < len(f.options) {
			return
		}
		b.stack = b.stack[:len(b.stack)-1]
	}
	b.search.Done = true
}

// cutOff reports whether a failure ends an execution that could go on.
func cutOff(failure sched.FailureKind) bool {
	switch failure {
	case sched.FailNone, sched.FailTest, sched.FailLeak, sched.FailDeadlock:
		return false
	}
	return true
}
