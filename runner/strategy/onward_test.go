package strategy

import (
	"testing"

	"github.com/coopvet/coop/runner/sched"
)

// TestOnward looks at who has the turn: each task in turn, for as long as patience lasts.
func TestOnward(t *testing.T) {
	for _, tt := range []struct {
		kind  sched.Kind
		steps int // with one task on end
	}{{sched.AtomicLoad, pollLimit}, {sched.Gosched, pollLimit / yieldPolls}, {sched.AtomicRMW, starveLimit}, {sched.Lock, starveLimit}} {
		var enabled []*sched.Task
		for _, id := range []sched.TaskID{0, 3, 4, 9} {
			enabled = append(enabled, &sched.Task{ID: id, Pending: sched.Op{Kind: tt.kind}})
		}
		s := new(Onward)
		s.Begin(sched.TrialInfo{})
		last := sched.NoTask
		for i := range 12 * tt.steps {
			last = s.Pick(enabled, last)
			if want := enabled[(i+1)/tt.steps%len(enabled)].ID; last != want {
				t.Fatalf("%v, step %d: task %d has the turn, want %d", tt.kind, i, last, want)
			}
		}
		if last = s.Pick(enabled[:1], last); last != 0 {
			t.Errorf("%v: task %d goes on, but only task 0 can", tt.kind, last)
		}
	}
}
