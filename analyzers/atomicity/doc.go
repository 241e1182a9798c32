/*
Package atomicity defines an Analyzer that reports steps that belong together but are not
atomic together.

# Analyzer atomicity

atomicity: report tests and updates that another goroutine can come between

Functions that are called with a lock held, and those of tests, are left out. Each step by itself is protected, by a lock or because it is atomic; but what is found out in
the first is no longer true in the second. The patterns are those of AtomRace (Letko, Vojnar,
Křena: AtomRace: Data Race and Atomicity Violation Detector and Healer, PADTAD 2008),
carried over to Go.

Category recheck: a condition is read with a lock held, the lock is released, and what
depends on the condition is written when the lock is held again, without a second look. The
read may be in a method that takes the lock itself.

Category lostupdate: an atomic store of a value that was computed from an atomic load of
the same variable; what others have stored in between is lost. Add or CompareAndSwap is
what is meant.

Category test: an atomic variable is loaded and tested, and then stored or added to, and
more is done; two goroutines can both pass the test. CompareAndSwap is what is meant.

Category result: an atomic Add whose result is not used, and a Load after it that is
tested; two goroutines can see the same value. The result of Add is what is meant.

Category twice: an atomic Pointer or Value is loaded twice, and parts of both are used, which
may belong to different versions.

Of these four, none is reported where only the goroutine is whose compare-and-swap has set a
variable that is stored afterwards: that is a lock without a mutex.

Category syncmap: sync.Map.Load and then Store or Delete of the same key. LoadOrStore or
LoadAndDelete is what is meant.

Category close: a channel is closed if a select statement finds it open; two goroutines can
find it open, and the second close panics. sync.Once is what is meant. Only exported functions
and methods of exported types are looked at, which anybody may call.

Category closed: a send after a look at an atomic flag that another function sets when it closes
the channel; if that comes in between, the send panics. A lock for both is what is meant.

Category full: a send after a comparison of len with cap of the channel; it blocks if
another goroutine was faster. A select with default is what is meant.
*/
package atomicity
