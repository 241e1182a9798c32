package condwait_test

import (
	"testing"

	"golang.org/x/tools/go/analysis/analysistest"

	"github.com/coopvet/coop/analyzers/condwait"
)

func Test(t *testing.T) {
	analysistest.RunWithSuggestedFixes(t, analysistest.TestData(), condwait.Analyzer, "noloop", "signal")
}
