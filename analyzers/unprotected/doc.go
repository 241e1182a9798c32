/*
Package unprotected defines an Analyzer that reports memory that goroutines share without
protection.

# Analyzer unprotected

unprotected: report memory that goroutines access without a common lock

Category goroutine: two goroutines that run at the same time access the same variable or
field, at least one of them writes, they hold no common lock, and nothing is seen that
could order them: no channel, WaitGroup, Once, Cond or atomic operation that one of them may
use after its access and the other before. The two may be instances of one go statement in
a loop, or of an HTTP handler; or one of them may be the function that started the other and
has not waited for it:

	var total int
	var wg sync.WaitGroup
	for _, words := range lines {
		wg.Go(func() { total += len(words) })
	}
	wg.Wait()

Called functions count, with the goroutines that they leave running. Of functions of other
packages it is known what they access without a lock, by what means they order things and what
they start, so that a type without locks is seen where several goroutines use it. Not so for the
standard library, of which only a list of types is known (bytes.Buffer, list.List, http.Header and
others). A call through an interface orders what the methods order that it may be, of types of
the package and of those that it imports; through one of the standard library, it may order all.

Elements of slices count as the same if two loops count them from 0 and access each; so do the
spare capacity of a slice, to which append writes, and the state behind the functions of
iter.Pull. A call of what context.AfterFunc returns, or of Timer.Stop, waits for nothing.

Tests count: if a test uses a type from several goroutines, it is meant to be used so.

Category lock: a field is accessed with a lock of its struct held nearly everywhere, and
written there, but here it is not. Left out are constructors, where no other goroutine
has the object yet, functions whose callers all hold the lock, and those whose names end in
Locked. The fix takes the lock, where the function calls nothing that could take it again.

Category published: an object is made visible to other goroutines, by an atomic store or a
send, and written after that; or read after a send, while its receiver writes it.

Category pool: memory of an object is returned to the caller that is, or will then be, back in
its sync.Pool.

Category handout: an exported method returns a map that is a field, read with the lock held
that others hold when they change it, instead of a copy.
*/
package unprotected
