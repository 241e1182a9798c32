package runtime

import _ "unsafe" // for linkname

// Noise disturbs the native scheduler: no goroutine is under control, and all that the
// operations do is to call coopNoise, on any thread.

var (
	coopNoise func(kind uint8)
	coopNoisy uint32 // g.coop of new goroutines, so that their operations are announced
)

// coop_noise has f called before the operations of goroutines that start from now on.
//
//go:linkname coop_noise coop/conductor.setNoise
func coop_noise(f func(kind uint8)) {
	coopNoise = f
	coopNoisy = 1
}

// coopMakeNoise leaves alone the runtime's own goroutines, and code that must not be
// interrupted.
func coopMakeNoise(gp *g, kind uint8) {
	if mp := gp.m; gp == mp.g0 || gp == mp.gsignal || mp.locks != 0 || gp.coop == 0 || isSystemGoroutine(gp, false) {
		return
	}
	coopNoise(kind)
}
