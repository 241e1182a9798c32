package detect

import (
	"testing"

	"github.com/coopvet/coop/runner/sched"
)

// control takes note of failures.
type control struct{ failure *sched.Failure }

func (c *control) Fail(f *sched.Failure)                { c.failure = f }
func (c *control) Position(s sched.Site) sched.Position { return sched.Position{Access: uint32(s)} }

// pending announces op as task id's next one.
func pending(r *Race, c *control, id sched.TaskID, op sched.Op) *sched.Task {
	t := &sched.Task{ID: id, Pending: op}
	r.Event(sched.Accessing, t, &t.Pending, c)
	return t
}

func TestRace(t *testing.T) {
	word := func(k sched.Kind, obj uintptr) sched.Op { return sched.Op{Kind: k, Object: obj, Size: 8} }
	for _, test := range []struct {
		name string
		a, b sched.Op
		race bool
	}{
		{"write and read", word(sched.Write, 64), word(sched.Read, 64), true},
		{"two reads", word(sched.Read, 64), word(sched.Read, 64), false},
		{"neighbours", word(sched.Write, 64), word(sched.Write, 72), false},
		{"overlap", sched.Op{Kind: sched.Write, Object: 60, Size: 5}, word(sched.Read, 64), true},
		{"atomic and plain", word(sched.AtomicRMW, 64), word(sched.Read, 64), true},
		{"plain and atomic", word(sched.Write, 64), word(sched.AtomicLoad, 64), true},
		{"atomic load and plain read", word(sched.AtomicLoad, 64), word(sched.Read, 64), false},
		{"two atomic", word(sched.AtomicStore, 64), word(sched.AtomicRMW, 64), false},
		{"map", word(sched.MapWrite, 64), word(sched.MapRead, 64), true},
		{"a lock is no memory", sched.Op{Kind: sched.Lock, Object: 64}, sched.Op{Kind: sched.Lock, Object: 64}, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			r, c := new(Race), new(control)
			r.Event(sched.TrialBegin, nil, nil, c)
			pending(r, c, 1, test.a)
			pending(r, c, 2, test.b)
			if (c.failure != nil) != test.race {
				t.Errorf("race: %v, want %v", c.failure != nil, test.race)
			}
		})
	}
}

// TestRacePerformed: what has been performed no longer races, what is still pending does,
// and so from trial to trial.
func TestRacePerformed(t *testing.T) {
	r := new(Race)
	for range 2 {
		c := new(control)
		r.Event(sched.TrialBegin, nil, nil, c)
		var tasks []*sched.Task
		for i := range 5 {
			tasks = append(tasks, pending(r, c, sched.TaskID(i), sched.Op{Kind: sched.Write, Object: uintptr(64 + 8*i), Size: 8}))
		}
		for _, i := range []int{1, 4, 0} {
			r.Event(sched.Accessed, tasks[i], &tasks[i].Pending, c)
			pending(r, c, 9, sched.Op{Kind: sched.Read, Object: uintptr(64 + 8*i), Size: 8})
			if c.failure != nil {
				t.Fatalf("a race with the access of task %d, which is over", i)
			}
			r.Event(sched.Accessed, &sched.Task{ID: 9}, &sched.Op{Kind: sched.Read}, c)
		}
		pending(r, c, 9, sched.Op{Kind: sched.Read, Object: 64 + 8*3, Size: 8})
		if c.failure == nil {
			t.Fatal("no race with the access of task 3, which is pending")
		}
	}
}
