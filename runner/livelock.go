package runner

import (
	"context"

	"github.com/coopvet/coop/runner/sched"
)

// caught replaces the schedule of a livelock, hundreds of thousands of steps, by its
// shortest beginning after which the tasks stay caught although they take turns: no task
// is kept waiting, and yet none gets anywhere. It reports whether there is one.
func (m *minimiser) caught(ctx context.Context) bool {
	all := m.best
	m.turns = true
	stays := func(n int) bool {
		_, hit := m.try(ctx, []candidate{{segments(all[:n])}})
		m.left--
		return hit != nil
	}
	// As a rule, who is caught stays so: at first the length doubles, then it is halved.
	free, n := -1, 0
	for !stays(n) {
		if n >= len(all)-1 || ctx.Err() != nil {
			m.turns = false
			return false
		}
		free, n = n, min(2*n+1, len(all)-1)
	}
	for n-free > 1 && ctx.Err() == nil {
		if mid := (free + n) / 2; stays(mid) {
			n = mid
		} else {
			free = mid
		}
	}
	m.best = append([]sched.TaskID{}, all[:n]...)
	return true
}
