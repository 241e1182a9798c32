// The machine that programs see.

package runtime

import _ "unsafe" // for go:linkname

const coopDefaultProcs = 4

var (
	coopProcs  = coopDefaultProcs // what GOMAXPROCS returns
	coopNative bool               // there is no control, for comparison
)

func coopSetProcs(n int) int {
	old := coopProcs
	if n > 0 {
		coopProcs = n
	}
	return old
}

// coop_native leaves everything to the native scheduler, with n processors.
//
//go:linkname coop_native coop/conductor.setNative
func coop_native(n int) {
	coopNative = true
	GOMAXPROCS(n)
}

// coopGOROOT returns the installation that this one was made from: tests that look for
// their go command there should find the same as under go test.
func coopGOROOT() string {
	if coopOrigin == "" {
		if coopOrigin = gogetenv("COOP_GOROOT"); coopOrigin == "" {
			coopOrigin = defaultGOROOT
		}
	}
	return coopOrigin
}

var coopOrigin string
