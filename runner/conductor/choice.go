package conductor

import "github.com/coopvet/coop/runner/sched"

// onChoose is the runtime's hook: n > 1 cases of a select of the token holder are ready.
// The strategy, or the schedule that is replayed, says which one is taken. Selects inside
// the standard library are left to the trial's random numbers.
func onChoose(n int) int {
	c := &the
	t := c.cur
	if t == nil || inside || c.chooser == nil || !t.selects {
		return -1
	}
	inside = true
	k := c.chooser.Choose(n)
	if k >= 0 {
		c.choose(sched.Choice{Task: t.ID, Step: t.Steps, Case: int32(k)})
	}
	inside = false
	return k
}

// choose records a choice, also where it survives the process.
func (c *conductor) choose(k sched.Choice) {
	if n := len(c.choices); n < sched.StatusMaxChoices {
		c.status[sched.StatusChoice+n] = k.Word()
		c.status[sched.StatusChoices] = uint64(n + 1)
	}
	c.choices = append(c.choices, k)
	if c.orders != nil {
		c.orders.chose(k)
	}
}

// setChoices prepares a trial for the choices of its strategy.
func (c *conductor) setChoices() {
	c.choices = c.choices[:0]
	c.status[sched.StatusChoices] = 0
	chooser, _ := c.strategy.(sched.Chooser)
	if (chooser == nil) != (c.chooser == nil) {
		if chooser == nil {
			setChooser(nil)
		} else {
			setChooser(onChoose)
		}
	}
	c.chooser = chooser
}
