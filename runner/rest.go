package runner

import "time"

// rests is the time in which the workers of a campaign rest. It counts for no test: the one
// that they would have worked at had nothing to do with it.
type rests struct {
	since time.Time // of the present rest; zero if there is none
	sum   time.Duration
}

// rest makes the workers finish their jobs and rest until the function that it returns
// is called.
func (e *explorer) rest() (wake func()) {
	c := e.c
	if c == nil {
		return func() {}
	}
	c.running.Lock()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.rests.since = time.Now()
	return func() {
		c.mu.Lock()
		c.rests.sum += time.Since(c.rests.since)
		c.rests.since = time.Time{}
		c.mu.Unlock()
		c.running.Unlock()
	}
}

// now reads a clock that stands while the workers rest. Called with mu held.
func (c *campaign) now() time.Time {
	now := c.rests.since
	if now.IsZero() {
		now = time.Now()
	}
	return now.Add(-c.rests.sum)
}
