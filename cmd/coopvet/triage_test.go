package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"

	"github.com/coopvet/coop/analyzers"
)

// A triaged finding is what coopvet has reported in a published module, and what a reader of
// that module's source has found of it.
type triaged struct {
	module, position, check, message string
	verdict, reason, confirmed       string
}

// The verdicts. A harmless finding is right about the code, but what it describes has no bad
// effect, or does not happen because of how the code is used. A false one is wrong.
var verdicts = []string{"true", "harmless", "false"}

// TestTriage prints which findings in published modules were true, and fails if too many were
// false or the tables are not complete. To repeat a row, run coopvet in a copy of the module.
func TestTriage(t *testing.T) {
	findings := readFindings(t)
	byModule, byVerdict, confirmed := make(map[string]int), make(map[string]int), 0
	byCheck := make(map[string]map[string]int)
	for n, f := range findings {
		if err := f.wellFormed(); err != nil {
			t.Errorf("finding %d: %v", n+1, err)
		}
		if slices.ContainsFunc(findings[:n], f.same) {
			t.Errorf("finding %d: %s %s is there twice", n+1, f.module, f.position)
		}
		if byCheck[f.check] == nil {
			byCheck[f.check] = make(map[string]int)
		}
		byModule[f.module]++
		byVerdict[f.verdict]++
		byCheck[f.check][f.verdict]++
		if f.confirmed != "" {
			confirmed++
		}
	}
	modules := readModules(t, byModule)
	for _, a := range analyzers.Suite() {
		if counts := byCheck[a.Name]; counts != nil {
			t.Logf("%-12s %s", a.Name, shares(counts))
		}
	}
	t.Logf("%-12s %s; %d confirmed by cooprun; in %d modules", "all", shares(byVerdict), confirmed, modules)
	if all := len(findings); all < 100 || modules < 15 || confirmed < 5 {
		t.Errorf("%d findings in %d modules, %d confirmed: too few to say anything", all, modules, confirmed)
	}
	if 10*byVerdict["false"] > 3*len(findings) {
		t.Errorf("%d of %d findings are false", byVerdict["false"], len(findings))
	}
}

func shares(counts map[string]int) string {
	all := 0
	for _, n := range counts {
		all += n
	}
	var parts []string
	for _, v := range verdicts {
		parts = append(parts, fmt.Sprintf("%d %s (%d %%)", counts[v], v, (100*counts[v]+all/2)/all))
	}
	return fmt.Sprintf("%3d findings: %s", all, strings.Join(parts, ", "))
}

var (
	moduleVersion  = regexp.MustCompile(`^[\w./-]+@v\d[\w.+-]*$`)
	sourcePosition = regexp.MustCompile(`^[\w./-]+\.go:\d+$`)
)

func (f *triaged) wellFormed() error {
	switch {
	case !moduleVersion.MatchString(f.module):
		return fmt.Errorf("module %q", f.module)
	case !sourcePosition.MatchString(f.position):
		return fmt.Errorf("position %q", f.position)
	case !slices.ContainsFunc(analyzers.Suite(), func(a *analysis.Analyzer) bool { return a.Name == f.check }):
		return fmt.Errorf("check %q", f.check)
	case f.message == "" || f.reason == "":
		return fmt.Errorf("%s %s has no message or no reason", f.module, f.position)
	case !slices.Contains(verdicts, f.verdict):
		return fmt.Errorf("verdict %q", f.verdict)
	case f.confirmed != "" && f.verdict != "true":
		return fmt.Errorf("%s %s is confirmed, but not true", f.module, f.position)
	}
	return nil
}

func (f *triaged) same(g triaged) bool {
	return f.module == g.module && f.position == g.position && f.check == g.check && f.message == g.message
}

func readFindings(t *testing.T) []triaged {
	var all []triaged
	for _, r := range readTable(t, "findings.tsv", 7) {
		all = append(all, triaged{r[0], r[1], r[2], r[3], r[4], r[5], r[6]})
	}
	return all
}

// readModules checks the numbers of findings in the table of modules, and returns how many modules there are.
func readModules(t *testing.T, findings map[string]int) int {
	rows := readTable(t, "modules.tsv", 3)
	listed := make(map[string]bool)
	for _, r := range rows {
		listed[r[0]] = true
		if n, err := strconv.Atoi(r[2]); err != nil || n != findings[r[0]] {
			t.Errorf("%s has %d findings, listed are %q", r[0], findings[r[0]], r[2])
		}
	}
	for m := range findings {
		if !listed[m] {
			t.Errorf("%s is not in the table of modules", m)
		}
	}
	return len(listed)
}

// readTable reads a file of testdata/triage without its header.
func readTable(t *testing.T, name string, columns int) [][]string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("../../testdata/triage", name))
	if err != nil {
		t.Fatal(err)
	}
	var rows [][]string
	for n, line := range strings.Split(strings.TrimSuffix(string(data), "\n"), "\n") {
		r := strings.Split(line, "\t")
		if len(r) != columns {
			t.Fatalf("%s:%d: %d columns instead of %d", name, n+1, len(r), columns)
		}
		rows = append(rows, r)
	}
	return rows[1:]
}
