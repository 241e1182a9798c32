package conductor

import (
	"github.com/coopvet/coop/runner/sched"
	"github.com/coopvet/coop/runner/strategy"
)

// A task that calls runtime.Gosched says that it has nothing to do for now: it rests, and
// the strategy does not see it, while others can go on. So do tasks that yield in CHESS
// (M. Musuvathi and S. Qadeer, Fair Stateless Model Checking, PLDI 2008), where a thousand
// spinners would otherwise take a thousand steps for each of the one they wait for.
//
// Unlike there, chance ends a rest at any step: a yield promises nothing, so no schedule
// must become impossible.

// restSteps is the number of steps, on average, after which a resting task is woken.
const restSteps = 8

// setYields decides whether tasks rest: not for a strategy that must see all that could go
// on. The warm-up, which follows no schedule, is none.
func (c *conductor) setYields() {
	_, search := c.strategy.(sched.Searcher)
	replay, follows := c.strategy.(*strategy.Replay)
	c.yields = !search && !(follows && !replay.Free())
}

// rest takes t, which has yielded, out of the enabled set.
func (c *conductor) rest(t *task) {
	t.yielded = false
	c.disable(t)
	c.resting = append(c.resting, t)
}

// rouse ends the rest of a task now and then, and if nobody else can go on.
func (c *conductor) rouse() {
	for len(c.resting) > 0 && (len(c.enabled) == 0 || c.rand.IntN(restSteps) == 0) {
		i, last := c.rand.IntN(len(c.resting)), len(c.resting)-1
		t := c.resting[i]
		c.resting[i] = c.resting[last]
		c.resting = c.resting[:last]
		if !t.waits() {
			c.enable(t)
			return
		}
		c.wait(t) // the lock has been taken in the meantime
	}
}

// able returns the number of tasks that can go on at a scheduling point.
func (c *conductor) able() int { return len(c.enabled) + len(c.resting) }
