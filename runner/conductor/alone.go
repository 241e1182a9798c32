package conductor

import "github.com/coopvet/coop/runner/sched"

// A plain access to memory while the test's first task is still the only one is no
// scheduling point: all that others will do comes after it. Whole tests start no goroutine,
// and a point costs ten times as much as seeing that. Later, when the others have ended or
// wait, an access may be one that could have come before what they did, in another
// schedule; an exhaustive search must see it.

// seenOf is the number of such accesses of which one is a scheduling point nevertheless, so
// that the clock goes on, and the step budget ends.
const seenOf = 64

// alone reports whether t's access is none.
func (c *conductor) alone(t *task, kind sched.Kind) bool {
	if len(c.tasks) != 1 || kind.IsAtomic() || // first what is most often so
		*held != 0 || c.calls != calls || !t.listed || c.audit != nil {
		return false
	}
	c.unseen++
	return c.unseen%seenOf != 0
}
