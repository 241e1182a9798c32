/*
Package doublelock defines an Analyzer that reports locks that are taken twice, or kept.

# Analyzer doublelock

doublelock: report locks that are taken while held, or held by mistake at a return

Locks of package sync do not count who holds them: a goroutine that takes one that it holds
waits for itself.

Category twice: the lock is held where it is taken again, here or in a function that is
called.

Category read: the same for an RWMutex that is held for reading and locked for reading again,
where other code locks it for writing. It is a deadlock when a writer comes in between: it
waits for the first reader, and the second one waits for the writer.

Category kept: one return holds a lock that was taken in the function and that the other
returns release. Functions whose result tells that they keep the lock, by true, a nil error
or a value that is not nil, are left out, as are those whose name says so, and those that
hand out a function that unlocks.

Category exit: runtime.Goexit with a lock held that no deferred call releases.
*/
package doublelock
