package conductor

import (
	"github.com/coopvet/coop/runner/sched"
	"github.com/coopvet/coop/runner/strategy"
)

// The step budget is what a trial may cost that looks for something. A test that needs
// more steps goes on to its end without choices: what it checks there is worth knowing, and
// a process in which a test has been cut off is of no use for further trials.

// maxExtension limits, as a multiple of the step budget, how far it is extended.
const maxExtension = 20

// extend extends the step budget by the steps without a choice: a test may compute as long
// as it likes while nothing else can go on. It reports whether there are steps left.
func (c *conductor) extend() bool {
	if c.exact {
		return false
	}
	if !c.onward {
		c.maxSteps = min(c.budget+c.solo, maxExtension*c.budget)
	}
	return c.steps < c.maxSteps || c.goOn()
}

// goOn makes the trial go on without choices if there is reason to, and reports whether it does.
func (c *conductor) goOn() bool {
	limit := maxExtension * c.budget
	if c.onward || c.steps >= limit || c.spentSpinning() {
		return false
	}
	if _, search := c.strategy.(sched.Searcher); search {
		return false
	}
	if replay, follows := c.strategy.(*strategy.Replay); follows && !replay.Free() {
		c.maxSteps = min(c.steps+replay.Left(), limit)
		return c.steps < c.maxSteps
	}
	c.onward, c.maxSteps = true, limit
	c.strategy, c.watcher = new(strategy.Onward), nil
	return true
}
