package detect

import (
	"strings"

	"github.com/coopvet/coop/runner/sched"
)

// threads makes one thread of a test and its subtests. The testing package runs a
// subtest in a goroutine of its own, but the parent waits until it returns or calls
// Parallel: until then the two are one line of control, and to the static analysis
// Run is a call of a function.
//
// The tasks of a thread are a stack, whose top is the one that is running. When
// another one accesses memory those above it have returned, or have called Parallel: they
// then are threads of their own.
type threads struct {
	tasks []threadTask
	over  []sched.TaskID
	runs  map[sched.Site]bool // go statements of package testing
}

type threadTask struct {
	thread int32        // the task that the thread began with
	under  sched.TaskID // the task below in the stack; NoTask at its end
	top    sched.TaskID // of the thread that begins with this task
}

func (s *threads) begin() { s.tasks = s.tasks[:0] }

func (s *threads) spawn(t *sched.Task, c sched.Control) {
	for int(t.ID) >= len(s.tasks) {
		id := sched.TaskID(len(s.tasks))
		s.tasks = append(s.tasks, threadTask{int32(id), sched.NoTask, id})
	}
	if t.Parent == sched.NoTask || !s.subtest(t.Spawned, c) {
		return
	}
	thread := s.tasks[t.Parent].thread
	s.tasks[t.ID] = threadTask{thread, t.Parent, t.ID}
	s.tasks[thread].top = t.ID
}

// subtest reports whether a go statement is one of package testing.
func (s *threads) subtest(at sched.Site, c sched.Control) bool {
	if at == 0 {
		return false
	}
	is, known := s.runs[at]
	if !known {
		f := c.Position(at).Func
		is = strings.HasPrefix(f, "testing.") || strings.HasPrefix(f, "internal/synctest.") || strings.HasPrefix(f, "runtime.synctest")
		if s.runs == nil {
			s.runs = make(map[sched.Site]bool)
		}
		s.runs[at] = is
	}
	return is
}

// of returns the thread of a task.
func (s *threads) of(id sched.TaskID) int32 { return s.tasks[id].thread }

// returned makes the task that accesses memory the top of its thread, and returns the
// tasks that were above it, which it no longer waits for.
func (s *threads) returned(id sched.TaskID) []sched.TaskID {
	top := &s.tasks[s.tasks[id].thread].top
	if *top == id {
		return nil
	}
	s.over = s.over[:0]
	for *top != id && *top != sched.NoTask {
		u := *top
		*top = s.tasks[u].under
		s.tasks[u] = threadTask{int32(u), sched.NoTask, u}
		s.over = append(s.over, u)
	}
	return s.over
}
