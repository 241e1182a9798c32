/*
Package blocked defines an Analyzer that reports goroutines that can never proceed.

# Analyzer blocked

blocked: report sends, receives and waits that may never end

The check looks at channels that a function makes and shares with goroutines it starts, and
with nobody else, so that all operations on them are known.

Category leak: a goroutine sends, unconditionally, and the only function that receives may
return before it does, for instance because of a timeout. The goroutine then waits forever,
with all that it refers to:

	result := make(chan int)
	go func() { result <- work() }()
	select {
	case v := <-result:
		return v, nil
	case <-ctx.Done():
		return 0, ctx.Err() // nobody will receive
	}

If one value is sent, the fix is a buffer for it: make(chan int, 1). The same for a goroutine
that receives what may never be sent. Functions main and those of tests are left out: the
process ends soon after them.

Category noclose: a loop ranges over a channel that is never closed; or the goroutine that
closes a channel at its end returns earlier without closing it, so that whoever ranges over it
waits forever. The fix of the latter is a deferred close.

Category nopartner: a send or receive on an unbuffered channel of which no other goroutine
knows.

Category add: WaitGroup.Add in the goroutine that is to be waited for, which may run after
Wait. The fix is Add before the go statement. What vet's check waitgroup reports, Add as the
first statement, is not repeated.

Category done: a goroutine calls WaitGroup.Done at its end but returns earlier without it. The
fix is a deferred Done.
*/
package blocked
