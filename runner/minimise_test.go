package runner

import (
	"reflect"
	"slices"
	"testing"

	"github.com/coopvet/coop/runner/sched"
)

func ids(s string) []sched.TaskID {
	out := []sched.TaskID{}
	for _, c := range s {
		out = append(out, sched.TaskID(c-'0'))
	}
	return out
}

func TestSwitches(t *testing.T) {
	for s, want := range map[string]int{"": 0, "0": 0, "000": 0, "001": 1, "010": 2, "0011200": 3} {
		if got := switches(ids(s)); got != want {
			t.Errorf("switches(%s) = %d, want %d", s, got, want)
		}
	}
}

func TestSimpler(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		want bool
	}{{"0011", "0101", true}, {"0101", "0011", false}, {"001", "0011", true}, {"0011", "0011", false}} {
		if got := simpler(ids(tt.a), ids(tt.b)); got != tt.want {
			t.Errorf("simpler(%s, %s) = %v", tt.a, tt.b, got)
		}
	}
}

// Candidates drop steps or reorder segments; they never invent steps, and those that
// join two segments of a task are among them.
func TestCandidates(t *testing.T) {
	orig := ids("001101122")
	var all [][]sched.TaskID
	for _, c := range candidates(segments(orig)) {
		d := c.decisions()
		all = append(all, d)
		for id := range sched.TaskID(3) {
			count := func(ids []sched.TaskID) (n int) {
				for _, x := range ids {
					if x == id {
						n++
					}
				}
				return n
			}
			if count(d) > count(orig) {
				t.Errorf("candidate %v has more steps of task %d than the original", d, id)
			}
		}
		if reflect.DeepEqual(d, orig) {
			t.Errorf("the original is a candidate")
		}
	}
	for _, want := range []string{"", "00", "110001122", "000111122", "001111022", "0011022"} {
		if !slices.ContainsFunc(all, func(d []sched.TaskID) bool { return slices.Equal(d, ids(want)) }) {
			t.Errorf("%s is not a candidate of 001101122: %v", want, all)
		}
	}
}
