package testing

import (
	"bytes"
	"sync"
)

// coopCause is what the first test of the trial to fail has logged last: Error and Fatal
// log, and then call Fail.
var coopCause coopEntry

// coopEntry is an entry of a test's log.
type coopEntry struct {
	mu    sync.Mutex
	set   bool
	entry string
}

func (e *coopEntry) reset() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.set, e.entry = false, ""
}

func (e *coopEntry) record(log []byte) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if !e.set {
		e.set, e.entry = true, string(coopLastEntry(log))
	}
}

func (e *coopEntry) text() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.entry
}

// coopFail is called when a test is about to be marked as failed, before its parents are.
func coopFail(c *common) {
	if !coopQuiet {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.done && !c.failed {
		coopCause.record(c.output)
	}
}

// coopLastEntry returns the last entry of a log, of which each line has an indent and the
// second and all further lines of an entry have one more.
func coopLastEntry(log []byte) []byte {
	for end := len(log); end > 0; {
		start := bytes.LastIndexByte(log[:end-1], '\n') + 1
		line := log[start:end]
		if bytes.HasPrefix(line, []byte(indent)) && !bytes.HasPrefix(line, []byte(indent+indent)) {
			return log[start:]
		}
		end = start
	}
	return log
}
