package runtime

import _ "unsafe" // for linkname

// Virtual time. The timers of tasks live in coopClock.timers, marked by timer.coop;
// tasks read coopClock.now as the monotonic clock. The conductor moves the clock.

// coopClocked reports whether gp reads the virtual clock: tasks do during a trial,
// unless they are in a bubble of testing/synctest, which has a clock of its own.
func coopClocked(gp *g) bool {
	return coopTrial && (gp.bubble == nil && gp.coop != 0 || gp.bubble == &coopClock)
}

// coopBubble returns the bubble whose clock runs t.
func (t *timer) coopBubble() *synctestBubble {
	if t.coop {
		return &coopClock
	}
	return getg().bubble
}

// coopAdopt makes an inactive timer one of the virtual clock, if a task sets it.
func (t *timer) coopAdopt() {
	if coopClocked(getg()) && !t.isFake && t.state&timerHeaped == 0 {
		t.isFake = true
		t.coop = true
	}
}

// Reading the clock takes time, as it does everywhere: of two reads in a row, the second
// is later. A task that reads the clock in a loop waits for it to go on, which it does
// when no task is enabled, so never. After coopTickAfter reads each one moves the clock
// by more.
const (
	coopTickAfter = 1_000
	coopTickRead  = 1      // nanosecond
	coopTickStep  = 10_000 // nanoseconds
)

var coopReads int // since the clock was moved

func coopTick() {
	if coopReads++; coopReads > coopTickAfter {
		coopClock.now += coopTickStep
	} else {
		coopClock.now += coopTickRead
	}
}

// coopNano is the virtual clock's answer to a read of the monotonic clock.
func coopNano() int64 {
	coopTick()
	return coopClock.now
}

// coopNow is the virtual clock's answer to time.Now.
func coopNow() (sec int64, nsec int32, mono int64, ok bool) {
	if !coopClocked(getg()) {
		return 0, 0, 0, false
	}
	coopTick()
	wall := coopClock.now + coopWall
	return wall / 1e9, int32(wall % 1e9), coopClock.now, true
}

// coopNanotime is nanotime for code that must follow the caller's clock.
func coopNanotime() int64 {
	if coopClocked(getg()) {
		return coopClock.now
	}
	return nanotime()
}

// coopSleep is time.Sleep on the virtual clock.
func coopSleep(ns int64) bool {
	gp := getg()
	if gp != coopCur.ptr() {
		return false
	}
	coopPoint(coopKindSleep, nil, nil, 0)
	if ns <= 0 || !coopClocked(gp) {
		return false
	}
	t := gp.coopTimer
	if t == nil {
		t = new(timer)
		t.init(goroutineReady, gp)
		t.isFake = true
		t.coop = true
		gp.coopTimer = t
	}
	when := coopClock.now + ns
	if when < 0 {
		when = maxWhen
	}
	t.reset(when, 0)
	gopark(nil, nil, waitReasonSleep, traceBlockSleep, 1)
	return true
}

// coop_now returns the virtual time and the time of the next timer, 0 if there is none.
//
//go:linkname coop_now coop/conductor.clock
func coop_now() (now, next int64) {
	return coopClock.now, coopClock.timers.wakeTime()
}

// coopLate is by how much, in nanoseconds, timers fire late, as all timers do. Those that
// are due so close together fire at once, and their order is open.
const coopLate = 1_000

// coop_advance moves the clock to when, the time of a timer, and runs the timers that
// are due.
//
//go:linkname coop_advance coop/conductor.advance
func coop_advance(when int64) {
	now := max(coopClock.now, when+coopLate)
	coopClock.now = now
	coopReads = 0
	systemstack(func() {
		gp := getg().m.curg
		getg().m.curg = nil // what timers start inherits nothing from the conductor
		coopClock.timers.check(now, &coopClock)
		getg().m.curg = gp
	})
}

// coop_mono returns the real monotonic clock.
//
//go:linkname coop_mono coop/conductor.nanotime
func coop_mono() int64 { return nanotime() }

// coopRand is the source behind map seeds, map iteration, select and the top-level
// functions of math/rand: SplitMix64 with the trial's seed for tasks, with a fixed
// seed for everything else, so that package initialisation repeats too.
//
// The conductor's own maps, on a task's stack, draw from the fixed stream, too.
//
//go:nosplit
func coopRand() uint64 {
	var z uint64
	if gp := getg(); coopTrial && gp.coop != 0 && !coopInside {
		coopRandTrial += 0x9e3779b97f4a7c15
		z = coopRandTrial
	} else {
		z = coopRandInit.Add(-0x61c8864680b583eb)
	}
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb
	return z ^ (z >> 31)
}

//go:linkname coopDrawn

// coopDrawn says that a task has made use of random numbers on which its result may depend.
var coopDrawn bool

// coopDraw returns a random number that the program can see.
func coopDraw() uint64 {
	if gp := getg(); coopTrial && gp.coop != 0 && !coopInside {
		coopDrawn = true
	}
	return coopRand()
}

//go:linkname coop_rand math/rand.coopRand
func coop_rand() uint64 { return coopDraw() }

//go:linkname coop_rand2 math/rand/v2.coopRand
func coop_rand2() uint64 { return coopDraw() }

// coop_iterRand is where an iteration over a map begins; with one element that is no matter.
//
//go:linkname coop_iterRand internal/runtime/maps.iterRand
func coop_iterRand(used uint64) uint64 {
	if used > 1 {
		return coopDraw()
	}
	return coopRand()
}

//go:nosplit
func coopRandn(n uint32) uint32 { return uint32((coopRand() >> 32) * uint64(n) >> 32) }

// coopTimerRand orders timers that are due at the same time, also those of a bubble of
// testing/synctest.
func coopTimerRand(t *timer) uint32 {
	if t.coop || coopTrial && t.isFake {
		coopRandTrial += 0x9e3779b97f4a7c15
		z := coopRandTrial
		z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9
		return uint32(z >> 32)
	}
	return cheaprand()
}

// coopTimerLess orders timers that are due at the same time. Of two that send, a select may
// see the first one only.
func coopTimerLess(t, u *timer) bool {
	if coopTrial && t.isChan && u.isChan {
		coopDrawn = true
	}
	return t.rand < u.rand
}
