package sched

import "testing"

func TestBuildID(t *testing.T) {
	same := BuildID([]string{"p 1", "q 2"})
	if got := BuildID([]string{"q 2", "p 1"}); got != same {
		t.Errorf("the order of registration changes the build ID: %s and %s", same, got)
	}
	for _, other := range [][]string{nil, {"p 1"}, {"p 1", "q 3"}, {"p 1q 2"}, {"p 1", "q 2", "q 2"}} {
		if BuildID(other) == same {
			t.Errorf("%q has the build ID of another set", other)
		}
	}
}
