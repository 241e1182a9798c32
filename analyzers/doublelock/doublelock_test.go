package doublelock_test

import (
	"testing"

	"golang.org/x/tools/go/analysis/analysistest"

	"github.com/coopvet/coop/analyzers/doublelock"
)

func Test(t *testing.T) {
	analysistest.Run(t, analysistest.TestData(), doublelock.Analyzer, "doublelock", "kept", "user")
}
