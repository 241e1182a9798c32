package runtime

// coopJump goes on with next on the calling thread; it returns when gp, the caller, is gone
// on with. It is mcall and gogo without the visit to g0 between them. That saves little in
// itself, but calls and returns stay in pairs: the processor predicts a return from the
// last call, on whatever stack that was, and two tasks that stop in the same code return
// through the same calls. A step returns through eight.
func coopJump(gp, next *g)
