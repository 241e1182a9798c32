package lockset_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/analysistest"
	"golang.org/x/tools/go/ssa"

	"github.com/coopvet/coop/escape/lockset"
)

// probe reports what is held at each call of a function named held, in the words of
// the programs' expectations. Its argument, if any, is only there to be evaluated.
var probe = &analysis.Analyzer{
	Name:     "probe",
	Doc:      "report the locks held at calls of held()",
	Requires: []*analysis.Analyzer{lockset.Analyzer},
	Run: func(pass *analysis.Pass) (any, error) {
		prog := pass.ResultOf[lockset.Analyzer].(*lockset.Program)
		for _, fn := range prog.Functions() {
			f := prog.Of(fn)
			f.Walk(func(i ssa.Instruction, held lockset.Set) {
				if isProbe(i) {
					if d, ok := i.(*ssa.Defer); ok {
						held = f.AtDeferred(d)
					}
					pass.Reportf(i.Pos(), "held: [%s]", held)
				}
			})
		}
		return nil, nil
	},
}

func isProbe(i ssa.Instruction) bool {
	c, ok := i.(ssa.CallInstruction)
	return ok && c.Common().StaticCallee() != nil && c.Common().StaticCallee().Name() == "held"
}

// The programs of testdata/src state what is held at each call of held. Package user
// calls package wrap, whose summaries are facts.
func TestLocksets(t *testing.T) {
	dirs, err := filepath.Glob("testdata/src/*")
	if err != nil || len(dirs) == 0 {
		t.Fatalf("no programs: %v", err)
	}
	var pkgs []string
	for _, dir := range dirs {
		pkgs = append(pkgs, filepath.Base(dir))
	}
	analysistest.Run(t, analysistest.TestData(), probe, pkgs...)
}

// Every program is checked to have expectations, so that none passes by being empty.
func TestProgramsExpectSomething(t *testing.T) {
	want := regexp.MustCompile(`// want "held: `)
	files, _ := filepath.Glob("testdata/src/*/*.go")
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(text), "held()") && !want.Match(text) {
			t.Errorf("%s expects nothing", file)
		}
	}
}
