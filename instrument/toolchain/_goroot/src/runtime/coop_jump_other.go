//go:build !amd64

package runtime

// coopJump goes on with next on the calling thread; it returns when gp, the caller, is gone
// on with.
func coopJump(gp, next *g) {
	coopNext.set(next)
	mcall(coopJump_m)
}

func coopJump_m(gp *g) {
	next := coopNext.ptr()
	coopNext = 0
	setMNoWB(&gp.m, nil)
	gogo(&next.sched)
}

var coopNext guintptr // argument of coopJump_m
