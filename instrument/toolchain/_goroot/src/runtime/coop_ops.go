package runtime

import "unsafe"

// Kinds of operations, as in package coop/sched.
const (
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
func coopSelect(cas0 *scase, n int, block bool) {
	kind := uint8(coopKindSelect)
	if !block {
		kind = coopKindSelectDefault
	}
	coopPoint(kind, nil, unsafe.Pointer(cas0), n)
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
