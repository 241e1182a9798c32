package conductor

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/coopvet/coop/runner/sched"
)

// Bounds of what a failure tells. Thousands of goroutines may wait in a few places.
const (
	maxStates  = 100 // tasks that are described
	maxPlaces  = 8   // places that a key names
	maxLocated = 500 // tasks that are looked at for places
)

// stuck describes a failure by those of tasks that are alive: first those that are its
// cause, and only so many.
func (c *conductor) stuck(kind sched.FailureKind, message string, tasks []*task) *sched.Failure {
	var alive []*task
	for _, t := range tasks {
		if t.state != exited && !t.foreign {
			alive = append(alive, t)
		}
	}
	causes := alive
	if kind == sched.FailDeadlock {
		var others []*task
		causes, others = c.causes(alive)
		alive = append(causes, others...)
	} else if kind == sched.FailLivelock { // who goes on before who waits
		slices.SortStableFunc(alive, func(a, b *task) int { return cmp.Compare(a.rank(), b.rank()) })
	}
	f := &sched.Failure{Kind: kind, Message: message}
	places := map[string]bool{}
	for i, t := range alive {
		if i >= maxLocated {
			break
		}
		s := c.describe(t)
		if i < maxStates {
			f.Tasks = append(f.Tasks, s)
		}
		if i < len(causes) {
			places[placeOf(&s)] = true
		}
	}
	f.Omitted = len(alive) - len(f.Tasks)
	slices.SortFunc(f.Tasks, func(a, b sched.TaskState) int { return cmp.Compare(a.Task, b.Task) })
	f.Key = string(kind) + " " + strings.Join(bounded(places), "; ")
	return f
}

func placeOf(s *sched.TaskState) string {
	return fmt.Sprintf("%s %s@%s:%d", s.State, s.OpStr, s.Site.File, s.Site.Line)
}

// places lists the places where tasks are.
func (c *conductor) places(tasks []*task) string {
	all := map[string]bool{}
	for _, t := range tasks {
		s := c.describe(t)
		all[placeOf(&s)] = true
	}
	return strings.Join(slices.Sorted(maps.Keys(all)), "; ")
}

// rank is 0 for a task that can go on.
func (t *task) rank() int {
	if t.state == waiting || t.state == blocked {
		return 1
	}
	return 0
}

// causes divides tasks, which are all that is left of a trial, into those that make the
// deadlock and those that only wait for others to end or to unlock something: how many
// these are, and where, depends on the schedule. A cycle of locks is a cause by itself;
// if all wait for others to end, they are it together.
func (c *conductor) causes(tasks []*task) (causes, others []*task) {
	cycle := c.lockCycle()
	held := map[uintptr]bool{}
	for _, t := range tasks {
		for _, obj := range t.held {
			held[obj] = true
		}
	}
	for _, t := range tasks {
		op := &t.Pending
		waits := t.state == waiting && (op.Kind == sched.WaitGroupWait || held[op.Object])
		if cycle != nil && slices.Contains(cycle, t) || cycle == nil && !waits {
			causes = append(causes, t)
		} else {
			others = append(others, t)
		}
	}
	if len(causes) == 0 {
		return others, nil
	}
	return causes, others
}

// bounded returns places in order, only the first ones if there are many.
func bounded(places map[string]bool) []string {
	list := slices.Sorted(maps.Keys(places))
	if len(list) > maxPlaces {
		list = append(list[:maxPlaces], "...")
	}
	return list
}
