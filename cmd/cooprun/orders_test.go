package main

import (
	"testing"

	"github.com/coopvet/coop/runner"
	"github.com/coopvet/coop/runner/sched"
)

// TestPartialOrders holds the identity of partial orders, on the conductor with real
// goroutines, against the exhaustive search, which counts classes in another way: its
// executions are all of different partial orders, and those of all schedules are of as many
// as there are classes.
func TestPartialOrders(t *testing.T) {
	if testing.Short() {
		t.Skip("builds test binaries")
	}
	target, opts := buildTarget(t, exhaustiveDir)
	with := *opts
	with.Orders = true
	compared := 0
	for _, r := range searchAll(t, target, with, 1_000_000).results {
		if exhaustiveFailures[r.Test] != "" || !r.Search.Complete {
			continue
		}
		compared++
		if r.Orders.Distinct != r.Search.Explored {
			t.Errorf("%s: %d classes, %d partial orders", r.Test, r.Search.Explored, r.Orders.Distinct)
		}
	}
	if compared < 15 {
		t.Errorf("only %d programs compared", compared)
	}
	s := runner.NewSession(target, opts)
	defer s.Close()
	for _, test := range []string{"TestReaders4", "TestAdds4", "TestLastZero2", "TestOrdered3", "TestIndexer11"} {
		if n := ordersOfAll(t, s, test); n != exhaustiveClasses[test] {
			t.Errorf("%s: all schedules are of %d partial orders, want %d", test, n, exhaustiveClasses[test])
		}
	}
}

// ordersOfAll runs all schedules of a test, up to a limit, and returns the number of their
// partial orders.
func ordersOfAll(t *testing.T, s *runner.Session, test string) int {
	t.Helper()
	distinct := map[uint64]bool{}
	for trials := 0; trials < 20_000; {
		r, err := s.Do(t.Context(), &sched.Job{
			Test: test, Strategy: "dfs:n=1000000", Search: true, Seed: 1, First: trials, Count: 20_000 - trials, MaxSteps: 1000, Clock: "idle", Orders: true,
		})
		if err != nil || len(r.Failures) > 0 {
			t.Fatalf("%s: %v, %+v", test, err, r)
		}
		for _, o := range r.Orders.Counts {
			distinct[o.Hash] = true
		}
		trials += r.Trials
		if r.Search.Done {
			break
		}
	}
	return len(distinct)
}
