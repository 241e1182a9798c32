/*
Package condwait defines an Analyzer that reports condition variables that are waited for
or signalled in a way that loses wakeups.

# Analyzer condwait

condwait: report sync.Cond.Wait without a loop and Signal where Broadcast is needed

When Cond.Wait returns, the condition that was waited for may be false: another goroutine
may have been quicker to take the lock, or the signal may have been meant for somebody
else. So the condition must be tested again, in a loop:

	c.L.Lock()
	for !condition() {
		c.Wait()
	}
	... make use of condition ...
	c.L.Unlock()

Category noloop: a Wait that is guarded by "if", or by nothing although its function takes
the lock itself. The fix of the former is "for". A function that only passes the call on to
a caller that may loop is not reported, nor one whose callers all loop.

Category signal: Signal wakes one goroutine, whichever it is. Where goroutines wait on the
same Cond for different conditions, and the one that signals is itself one of those that
wait, the woken one may find that its condition does not hold and go to sleep again, while
the one that could have gone on was not woken. The fix is Broadcast.

Category state: an exported function changes what others wait for and wakes them, without any
lock. The change, atomic or not, may come after another goroutine has tested the condition and
before it waits, and then the wakeup is missed. The lock must be held for the change.
*/
package condwait
