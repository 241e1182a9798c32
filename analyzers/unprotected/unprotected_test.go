package unprotected_test

import (
	"testing"

	"golang.org/x/tools/go/analysis/analysistest"

	"github.com/coopvet/coop/analyzers/unprotected"
)

func Test(t *testing.T) {
	analysistest.RunWithSuggestedFixes(t, analysistest.TestData(), unprotected.Analyzer, "goroutine", "handout", "lock", "user")
}
