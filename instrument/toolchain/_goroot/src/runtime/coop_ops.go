package runtime

import "unsafe"

// Kinds of operations, as in package coop/sched.
const (
	coopKindLock          = 10
	coopKindRLock         = 13
	coopKindWLock         = 16
	coopKindSend          = 19
	coopKindRecv          = 20
	coopKindClose         = 21
	coopKindSelect        = 22
	coopKindSelectDefault = 23
	coopKindWaitGroupWait = 26
	coopKindGosched       = 34
	coopKindSleep         = 35
)

// coopSeeded makes random numbers repeat; a constant, for the compiler.
const coopSeeded = true

func coopBlocking(block bool) int {
	if block {
		return 1
	}
	return 0
}

// coopSelect announces a select and its channels.
func coopSelect(cas0 *scase, nsends, nrecvs int, block bool) {
	kind := uint8(coopKindSelect)
	if !block {
		kind = coopKindSelectDefault
	}
	coopPoint(kind, nil, unsafe.Pointer(cas0), nsends+nrecvs)
	coopTake = 0
	if coopChooser != nil && getg() == coopCur.ptr() {
		coopTake = coopChoose(cas0, nsends, nrecvs)
	}
}

var (
	coopChooser func(n int) int // chooses among n cases that are ready, from 0; -1: at random
	coopTake    int             // the case, from 1, that the select under way takes; 0: at random
)

// coop_chooser makes f choose among the cases of a select that are ready; nil: at random.
//
//go:linkname coop_chooser coop/conductor.setChooser
func coop_chooser(f func(n int) int) { coopChooser = f }

// coopChoose asks the chooser, if several cases are ready, and returns the case, from 1.
func coopChoose(cas0 *scase, nsends, nrecvs int) int {
	cases := (*[1 << 16]scase)(unsafe.Pointer(cas0))[: nsends+nrecvs : nsends+nrecvs]
	ready := 0
	for i := range cases {
		if coopReady(cases[i].c, i < nsends) {
			ready++
		}
	}
	if ready < 2 {
		return 0
	}
	k := coopChooser(ready)
	if k < 0 {
		return 0
	}
	for i := range cases {
		if coopReady(cases[i].c, i < nsends) {
			if k == 0 {
				return i + 1
			}
			k--
		}
	}
	return 0
}

// coopReady reports whether a case would complete now.
func coopReady(c *hchan, send bool) bool {
	switch {
	case c == nil:
		return false
	case c.closed != 0:
		return true
	case send:
		return c.recvq.first != nil || c.qcount < c.dataqsiz
	}
	if c.timer != nil {
		c.timer.maybeRunChan(c)
	}
	return c.sendq.first != nil || c.qcount > 0
}

// coopSelectRandn returns where case i, the norder-th that has a channel, goes in the order
// in which a select looks at its cases: its place is swapped with that one's.
func coopSelectRandn(i, norder int) uint32 {
	switch {
	case coopTake == 0 || getg().coop == 0:
		return coopRandn(uint32(norder + 1))
	case i == coopTake-1:
		return 0
	}
	return uint32(norder)
}

// coop_cases stores the channels of a select in chans and returns how many it has.
//
//go:linkname coop_cases coop/conductor.selectChans
func coop_cases(cas0 unsafe.Pointer, n int, chans []uintptr) int {
	cases := (*[1 << 16]scase)(cas0)[:n:n]
	k := 0
	for i := range cases {
		if cases[i].c != nil && k < len(chans) {
			chans[k] = uintptr(unsafe.Pointer(cases[i].c))
			k++
		}
	}
	return k
}
