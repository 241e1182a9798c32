package runner

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/coopvet/coop/runner/sched"
)

// TestRestIsNoTime lets workers rest for longer than a test may take, which then still has
// all of its time.
func TestRestIsNoTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const budget = time.Minute
		c := newCampaign(new(Target), &Options{Budget: budget, Workers: 1}, []sched.TestInfo{{Name: "TestPass"}})
		test := c.tests[0]
		more := func() bool {
			_, ok := c.take(test, nil)
			return ok
		}
		if !more() {
			t.Fatal("the test is not run")
		}
		for range 2 {
			wake := (&explorer{c: c}).rest()
			time.Sleep(2 * budget)
			if d := c.now().Sub(test.began); d != 0 {
				t.Errorf("the clock has moved by %v during the rest", d)
			}
			wake()
		}
		if j := c.job(span{test: test}); j.MaxNanos != int64(spanTime) || !more() {
			t.Errorf("no time is left after the rest, a job has %v", time.Duration(j.MaxNanos))
		}
		time.Sleep(budget)
		if j := c.job(span{test: test}); j.MaxNanos != 1 || more() {
			t.Errorf("time is left, a job has %v", time.Duration(j.MaxNanos))
		}
	})
}
