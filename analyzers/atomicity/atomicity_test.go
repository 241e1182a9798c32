package atomicity_test

import (
	"testing"

	"golang.org/x/tools/go/analysis/analysistest"

	"github.com/coopvet/coop/analyzers/atomicity"
)

func Test(t *testing.T) {
	analysistest.Run(t, analysistest.TestData(), atomicity.Analyzer, "sections", "atomics", "others")
}
