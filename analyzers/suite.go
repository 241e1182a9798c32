// Package analyzers is the suite of checks that coopvet runs.
//
// Each check is an [analysis.Analyzer] in a package of its own, which documents what it
// reports. Messages have no positions and no line numbers in them, so that a baseline
// survives edits elsewhere in the file; positions are in the related information.
//
// Left out, because "go vet" or staticcheck report them: copies of locks (copylocks), Add at
// the start of the goroutine that is waited for (waitgroup), contexts that are not cancelled
// (lostcancel), Fatal in goroutines of tests (testinggoroutine), captured loop variables
// (loopclosure), misuse of atomic results (atomic), empty critical sections (SA2001),
// deferred Lock instead of Unlock (SA2003), leaking time.Tick (SA1015), misaligned 64-bit
// atomics (SA1027), and unbuffered signal channels (sigchanyzer).
package analyzers

import (
	"slices"
	"sync"

	"golang.org/x/tools/go/analysis"

	"github.com/coopvet/coop/analyzers/atomicity"
	"github.com/coopvet/coop/analyzers/blocked"
	"github.com/coopvet/coop/analyzers/condwait"
	"github.com/coopvet/coop/analyzers/doublelock"
	"github.com/coopvet/coop/analyzers/ignore"
	"github.com/coopvet/coop/analyzers/lockorder"
	"github.com/coopvet/coop/analyzers/unprotected"
)

var suite = sync.OnceValue(func() []*analysis.Analyzer {
	return ignore.Honour([]*analysis.Analyzer{
		atomicity.Analyzer,
		blocked.Analyzer,
		condwait.Analyzer,
		doublelock.Analyzer,
		lockorder.Analyzer,
		unprotected.Analyzer,
	})
})

// Suite returns the checks. They honour //coopvet:ignore comments; the last one checks the
// comments. All calls return the same analyzers.
func Suite() []*analysis.Analyzer { return slices.Clone(suite()) }
