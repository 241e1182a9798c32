package blocked_test

import (
	"testing"

	"golang.org/x/tools/go/analysis/analysistest"

	"github.com/coopvet/coop/analyzers/blocked"
)

func Test(t *testing.T) {
	analysistest.RunWithSuggestedFixes(t, analysistest.TestData(), blocked.Analyzer, "leak", "noclose", "waitgroup")
}
